"""Conjugates that cost nothing for real numbers."""

import numpy as np
import pytest

import srcgrad.autograd
from srcgrad import Variable
from srcgrad.rules.complexes import adjoint, conj, is_complex
from tests.cases import for_each

REAL = np.arange(6.0).reshape(2, 3)
COMPLEX = REAL + 1j * REAL[::-1]


def test_a_real_array_is_its_own_conjugate():
    assert conj(REAL) is REAL
    np.testing.assert_array_equal(conj(COMPLEX), np.conjugate(COMPLEX))


@pytest.mark.parametrize("x", [REAL, COMPLEX, np.stack([COMPLEX, 2.0 * COMPLEX])])
def test_the_adjoint_is_that_of_each_matrix(x):
    expected = np.conjugate(np.swapaxes(x, -1, -2))
    np.testing.assert_array_equal(adjoint(x), expected)


def test_the_adjoint_of_real_numbers_is_a_view():
    assert np.shares_memory(adjoint(REAL), REAL)


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        (REAL, False),
        (COMPLEX.astype(np.complex64), True),
        (np.float32(1.0), False),
        (np.complex128(1.0), True),
        (1.0, False),
        (1j, True),
        (3, False),
        ([1.0, 2.0], False),
        ([1.0, 2j], True),
    ],
)
def test_the_dtype_tells(x, expected):
    assert is_complex(x) is expected


# ----- Derivatives on both sides of the branch cuts -----

UFUNCS = (
    "sqrt log log2 log10 log1p exp exp2 expm1 sin cos tan sinh cosh tanh arcsin arccos "
    "arctan arcsinh arccosh arctanh reciprocal square absolute sign"
)
FUNCTIONS = {name: getattr(np, name) for name in UFUNCS.split()}
FUNCTIONS |= {f"power {n}": lambda z, n=n: z**n for n in (3, 0.5, -1.5, 2.5 - 1j)}
FUNCTIONS |= {
    "power of a number": lambda z: 2.0**z,
    "power of itself": lambda z: np.power(z, z),
    "float_power": lambda z: np.float_power(z, 0.3),
    "sinc": np.sinc,
    "angle": np.angle,
}


def number(real, imag):
    """A complex number that keeps the signs of zeros."""
    z = np.empty((), complex)
    z.real, z.imag = real, imag
    return z


@for_each("name", FUNCTIONS)
@for_each("zero", [0.0, -0.0])
@for_each("size", [2.0, -2.0, 0.5, -0.5])
@for_each("axis", [1.0, 1j])
def test_gradients_along_the_axes_are_differences(name, zero, size, axis):
    """The branch cuts lie on the axes: a step along them stays on its side."""
    function = FUNCTIONS[name]

    def at(size):
        return number(size, zero) if axis == 1.0 else number(zero, size)

    slope = (function(at(size + 1e-6)) - function(at(size - 1e-6))) / 2e-6
    z = Variable(at(size), requires_grad=True)
    out = function(z)
    for u in (1.0, 1j) if out.dtype.kind == "c" else (1.0,):
        g = np.full((), u, out.dtype)
        (found,) = srcgrad.autograd.grad([out], [z], [g], retain_graph=True)
        along = np.real(np.conjugate(found.data) * axis)
        assert along == pytest.approx(np.real(np.conjugate(u) * slope), abs=1e-6)
