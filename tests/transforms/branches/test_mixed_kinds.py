"""A number that is Python's in one arm and NumPy's in the other is what it would be.

So is one that is an integer in one arm, and a float in the other.
"""

import math

import numpy as np
import pytest

import srcgrad
from tests import one_liners

# What is done with `y`, a float if `x` is not positive.
USES = (
    *("y", "y * 2.0", "2 - y", "y / 4", "-y", "abs(y)", "y + x", "y * y", "(y, x + y)"),
    *("[y, 1.0]", "np.exp(y)", "np.multiply(y, 2.0)", "np.maximum(y, 0.5)", "y < 1.0"),
    *("math.exp(y)", "x / (y + 5.0)", "np.array([y, x])", "y * np.ones(2)", "not y"),
    *("1.0 / y", "y / y", "x / y", "y ** 2", "y ** 0.5", "2.0 ** y", "y % 1.0"),
    *("y ** -1", "x * y ** 2", "(2.0 - y) ** 2.0"),
    *("y.sum()", "y.item()", "y.real", "y[()]", "y.copy()", "+y", "y.is_integer()"),
    *("type(y) is float", "isinstance(y, np.floating)", "hasattr(y, 'shape')"),
    *("round(y)", "round(y, 1)", "max(y, 1.0)", "float(y)", "np.float32(2.0) * y"),
    *("f'{y!r}'", "repr(y)", "sum([y, 1.0])", "y == y", "np.sum(y)", "np.real(y)"),
    *("x if y > 1.0 else y", "twice(y)", "(y if y > 0.5 else -y) * 2.0", "y or 3.0"),
    *("np.asarray(y)", "np.where(y > 1.0, y, 2.0)", "complex(y)", "divmod(y, 2.0)"),
    *("x * (2 * y)", "x * (y + 1)", "x - y", "x * y", "y - 0.5", "[x, y][y > 0]"),
    *("[x, 1.0][y]", "x * len(str(y))", "-y * x", "len(range(y))", "y * np.arange(2)"),
    *("np.array([y, 1])", "y // 2.0", "y.bit_length()", "np.float64(y) / 2"),
    *("np.zeros(2) + [y, y]", "{'y': y}['y']", "y * 1j", "bool(y)", "int(y)"),
)


def twice(v):
    return 2.0 * v


def program(use, first="0.0"):
    lines = [f"y = {first}", "if x > 0.0:", "    y = x * 2.0", f"return {use}"]
    return one_liners.function("f(x)", lines, math=math, twice=twice)


def outcome(function, x, kind=np.float64):
    """What a call gives, with all kinds; or the error that it raises."""
    try:
        with np.errstate(all="ignore"):
            found = function(kind(x))
    except Exception as error:
        return type(error)
    return repr(found)


POINTS = (-1.0, 2.0, -3.0, 0.3), (2.0, -1.0, 0.3, -3.0)
FIRST = ("0.0", np.float64), ("0", np.float64), ("3", float)
# Each with a float and, in turn, with one of two integers.
TURNS = [
    (use, POINTS[(n + k) % 2], *FIRST[k * (1 + n % 2)])
    for n, use in enumerate(USES)
    for k in (0, 1)
]


@pytest.mark.parametrize(("use", "points", "first", "kind"), TURNS)
def test_each_use_gives_the_kind_of_the_arm_that_ran(use, points, first, kind):
    function = program(use, first)
    traced = srcgrad.trace(function)
    for x in points * 2:
        assert outcome(traced, x, kind) == outcome(function, x, kind)


def test_a_power_that_is_too_large_is_an_error_of_pythons_alone():
    traced = srcgrad.trace(program("y ** 2", "1e200"))
    for x in (-1.0, 2.0, 1e200, -2.0, 1e200, -1.0):
        assert outcome(traced, x) == outcome(traced.__wrapped__, x)
    assert traced.stats.traces == 1


@pytest.mark.parametrize("use", [*USES[:5], "y ** 2", "y ** 3.0", "(2.0 - y) ** 2"])
def test_what_both_kinds_do_alike_is_one_trace(use):
    traced = srcgrad.trace(program(use))
    ours = srcgrad.value_and_grad(traced)
    for x in (2.0, -1.0, 0.3, -3.0):
        value, gradient = ours(np.float64(x))
        assert repr(value) == outcome(traced.__wrapped__, x)
        step = 1e-6
        slope = (traced.__wrapped__(x + step) - traced.__wrapped__(x - step)) / (
            2.0 * step
        )
        np.testing.assert_allclose(gradient, slope, atol=1e-6)
    assert traced.stats.traces == 1


@pytest.mark.parametrize("dtype", ["e", "f", "F", "d", "D"])
@pytest.mark.parametrize("use", ["w * y", "w[0] * y", "y + w[0]", "w / (y + 5.0)"])
def test_an_array_of_less_precision_is_made_wider_by_numpys_alone(use, dtype):
    """And with them a result of the user's: ``complex64`` is one of these."""
    function = program(f"(lambda w: {use})(np.ones(2, {dtype!r}) * np.sign(x))")
    traced = srcgrad.trace(function)
    for x in (2.0, -1.0, 0.3, -3.0, 2.5):
        assert outcome(traced, x) == outcome(function, x)
