"""``math``, ``cmath``, ``float``, ``sum``: every sample; all functions have rules."""

import cmath
import math

import numpy as np
import pytest

from srcgrad import Variable
from srcgrad.rules.registry import PRIMITIVES
from srcgrad.tape.apply import apply
from tests.variables import variable

# Functions of one real number, with a point inside their domain.
LINE = "sin cos sinh cosh tanh asinh atan exp expm1 degrees radians fabs exp2 tan"
POINTS = {
    **dict.fromkeys(LINE.split(), -0.4),
    **dict.fromkeys("log log2 log10 sqrt cbrt lgamma log1p gamma".split(), 1.7),
    **dict.fromkeys("asin acos atanh erf erfc".split(), 0.6),
    "acosh": 1.7,
}


@pytest.mark.parametrize("name", POINTS)
@pytest.mark.parametrize("module", [math, cmath])
def test_values_and_slopes_are_those_of_the_function(module, name):
    function, point = getattr(module, name, None), POINTS[name]
    if function is None:
        pytest.skip("another Python's, or of real numbers only")
    x = variable(np.float64(point))
    out = apply(function, (x,), {})
    assert type(out.value) is type(function(point))
    assert out.value == function(point)
    np.real(out).backward()
    difference = (function(point + 1e-6) - function(point - 1e-6)) / 2e-6
    np.testing.assert_allclose(x.grad.value, difference.real, rtol=1e-7)


@pytest.mark.parametrize("module", [math, cmath])
def test_every_function_has_an_entry(module):
    functions = [f for f in vars(module).values() if callable(f)]
    missing = [f.__name__ for f in functions if f.__name__[0] != "_"]
    missing = [name for name in missing if getattr(module, name) not in PRIMITIVES]
    assert not missing


@pytest.mark.parametrize(
    ("function", "point"), [(math.log, 0.0), (math.sqrt, -1.0), (math.exp, 1e4)]
)
def test_the_errors_are_pythons(function, point):
    with pytest.raises((ValueError, OverflowError)) as expected:
        function(point)
    with pytest.raises(expected.type, match=str(expected.value)):
        apply(function, (variable(np.float64(point)),), {})


def test_integers_have_no_gradient():
    x = Variable.make(2.6, None)
    x.requires_grad = True
    assert [apply(f, (x,), {}) for f in (math.floor, math.ceil, math.trunc)] == [
        2,
        3,
        2,
    ]
    assert apply(math.isclose, (x, 2.6), {}) is True
