"""Transforms of functions of one number, of every kind: compiled as on the tape."""

import numpy as np
import pytest

import srcgrad
from srcgrad.pytree import flatten

FUNCTIONS = {
    "reciprocal": lambda z: np.real(1 / z) * 2.0,
    "angle": lambda z: np.angle(z) + np.abs(z),
    "unit": lambda z: np.real(z / np.abs(z)),
    "power": lambda z: np.abs(z**3 - 2 * z) ** 2,
    "product": lambda z: z.real * z.imag**2 + np.real(z * z.conjugate()),
    "loop": lambda z: sum(np.real(z**k / (k + 1)) for k in range(1, 5)),
    "choices": lambda z: np.abs(np.maximum(z, 0.5) * np.clip(z, 0.35, 2.0)) ** 2,
    "bounds": lambda z: np.abs(np.minimum(z, 0.5) * np.clip(z, 0.1, None)) ** 2,
    "signs": lambda z: np.sign(z.real) + np.copysign(1.5, z.imag),
    "exponential": lambda z: np.exp(z).real / np.sqrt(np.abs(np.cos(z)) + 1.0),
}
KINDS = {
    "complex": complex,
    "complex128": np.complex128,
    "0-d": lambda z: np.array(z, complex),
    "float": lambda z: z.real,
    "float64": lambda z: np.float64(z.real),
}
TRANSFORMS = {
    "grad": lambda f, z, v: srcgrad.grad(f)(z),
    "jvp of grad": lambda f, z, v: srcgrad.jvp(srcgrad.grad(f), (z,), (v,)),
    "hvp": lambda f, z, v: srcgrad.hvp(f, (z,), (v,)),
    "vjp of grad": lambda f, z, v: srcgrad.vjp(srcgrad.grad(f), z)[1](v),
    "grad of a norm": lambda f, z, v: srcgrad.grad(
        lambda z: np.abs(srcgrad.grad(f)(z) * v) ** 2
    )(z),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_numbers(function, kind, transform):
    f, kind, transform = FUNCTIONS[function], KINDS[kind], TRANSFORMS[transform]
    for step in range(4):
        given = kind(0.3 + 0.7j + 0.1 * step), kind(0.5 - 0.2j)
        ours = transform(f, *given)
        with srcgrad.set_stance("tape"):
            theirs = transform(f, *given)
        assert type(ours) is type(theirs)
        np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("kind", [float, np.float64, np.array])
@pytest.mark.parametrize("function", [np.imag, lambda x: x * (2 + 1j) - 3j])
def test_a_tangent_of_what_becomes_complex(function, kind):
    def tangent(x, v):
        return srcgrad.jvp(function, (x,), (v,))[1]

    expected = function(0.5) - function(0.0), function(2.0) - function(0.0)
    for _ in range(3):
        found = srcgrad.jvp(tangent, (kind(1.5), kind(0.5)), (kind(1.0), kind(2.0)))
        np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("shape", [(), (3,)])
def test_the_byte_order_is_that_of_the_argument(shape):
    gradient = srcgrad.grad(lambda x: np.sum((1.0 - x) * 0.5))
    for _ in range(4):
        assert gradient(np.ones(shape, ">f8")).dtype == np.dtype(">f8")


# Of which transforms inside others, and what has no gradient, once made NumPy's floats.
OF_FLOATS = {
    "identity": lambda t: t,
    "floor": lambda t: 7.0 // t + t // 0.7,
    "divmod": lambda t: (divmod(t, 0.7), divmod(7.0, t), divmod(t, t * 2.0)),
    "divmod with numpy's": lambda t: divmod(t, np.float64(0.7)),
    "rest": lambda t: t % 0.7 + 7.0 % t,
    "round": lambda t: round(t, 2) + round(t * 0.1, 3),
    "constant": lambda t: 2.0,
    "stopped": lambda t: srcgrad.stop_gradient(t) * 1.5,
    "numpy's": lambda t: np.sin(t) + t,
    "several": lambda t: {"a": t * 2.0, "b": (t // 1.0, np.float64(t))},
    "grad": lambda t: srcgrad.grad(lambda u: 3.0 * u)(t),
    "value and grad": lambda t: srcgrad.value_and_grad(lambda u: u**3)(t),
    "jvp": lambda t: srcgrad.jvp(lambda u: 3.0 * u, (t,), (1.0,)),
    "vjp": lambda t: srcgrad.vjp(lambda u: u**2, t)[1](1.0),
    "linearize": lambda t: srcgrad.linearize(lambda u: u**2, t)[1](1.0),
    "hessian": lambda t: srcgrad.hessian(lambda u: u)(t),
    "jacobian": lambda t: srcgrad.jacobian(lambda u: u**2, mode="forward")(t),
}
NESTED = {
    "jvp": lambda f, t: srcgrad.jvp(f, (t,), (1.0,)),
    "vjp": lambda f, t: srcgrad.vjp(f, t)[0],
    "linearize": lambda f, t: srcgrad.linearize(f, t)[1](1.0),
    "aux": lambda f, t: srcgrad.grad(lambda u: (u * u, f(u)), has_aux=True)(t)[1],
    "jvp of jvp": lambda f, t: srcgrad.jvp(
        lambda u: srcgrad.jvp(f, (u,), (1.0,)), (t,), (1.0,)
    ),
}


def kinds(tree):
    return [type(leaf) for leaf in flatten(tree)[0]]


@pytest.mark.parametrize("transform", NESTED)
@pytest.mark.parametrize("function", OF_FLOATS)
def test_results_and_tangents_are_of_the_kinds_that_the_function_gives(
    function, transform
):
    f, transform = OF_FLOATS[function], NESTED[transform]
    for t in (2.5, 1.115, 2.5, 3.25):
        ours, expected = transform(f, t), f(t)
        with srcgrad.set_stance("tape"):
            theirs = transform(f, t)
        count = len(kinds(expected))
        assert kinds(ours) == kinds(theirs)
        assert kinds(ours) == kinds(expected) * (len(kinds(ours)) // count)
        np.testing.assert_allclose(flatten(ours)[0], flatten(theirs)[0], rtol=1e-12)


@pytest.mark.parametrize("decimals", [0, 1, 2])
def test_rounding_is_pythons_for_its_floats(decimals):
    def f(t):
        return round(t, decimals)

    for t in (1.115, 14.405, 0.5, 2.675):
        assert srcgrad.jvp(f, (t,), (1.0,))[0] == srcgrad.trace(f)(t) == f(t)
