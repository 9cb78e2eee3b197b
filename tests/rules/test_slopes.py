"""NumPy's functions held to mpmath: values, first and second derivatives."""

import math

import mpmath as mp
import numpy as np
import pytest

import srcgrad
from tests.precision import LINE, POSITIVE, Row, misses, pairs, within

INNER, ABOVE_ZERO = within(-1.0, 1.0), within(0.0, np.inf, 1.0)
SOME = within(step=3)
DTYPES = [np.float32, np.float64]


def in_base(base):
    return lambda x: mp.log(x) / mp.log(base)


def cube_root(x):
    return mp.sign(x) * mp.cbrt(abs(x))


def log_of_sum(base):
    """``logaddexp`` of a base, without powers so small that they take long."""

    def exact(x, y):
        least, most = sorted((x, y))
        if most - least > 5000:
            return most
        return most + mp.log1p(mp.power(base, least - most)) / mp.log(base)

    return exact


UNARY = [
    Row(np.exp, mp.exp),
    Row(np.exp2, lambda x: mp.power(2, x)),
    Row(np.expm1, mp.expm1, within(-1e4, step=3)),
    Row(np.log, mp.log, ABOVE_ZERO),
    Row(np.log2, in_base(2), ABOVE_ZERO),
    Row(np.log10, in_base(10), ABOVE_ZERO),
    Row(np.log1p, mp.log1p, within(-1.0)),
    Row(np.sqrt, mp.sqrt, POSITIVE),
    Row(np.cbrt, cube_root),
    Row(np.square, lambda x: x * x),
    Row(np.reciprocal, lambda x: 1 / x),
    Row(np.sin, mp.sin, SOME),
    Row(np.cos, mp.cos, SOME),
    Row(np.tan, mp.tan, SOME, units=2),
    Row(np.arcsin, mp.asin, INNER),
    Row(np.arccos, mp.acos, INNER),
    Row(np.arctan, mp.atan),
    Row(np.sinh, mp.sinh),
    Row(np.cosh, mp.cosh),
    Row(np.tanh, mp.tanh),
    Row(np.arcsinh, mp.asinh),
    Row(np.arccosh, mp.acosh, within(1.0)),
    Row(np.arctanh, mp.atanh, INNER),
    Row(np.sinc, mp.sincpi, within(-1e6, 1e6), units=4),  # NumPy's own rounds pi * x
    Row(np.i0, lambda x: mp.besseli(0, x)),
    Row(np.deg2rad, mp.radians, SOME),
    Row(np.rad2deg, mp.degrees, SOME),
    Row(np.absolute, abs, SOME),
]


def powers(dtype, rng):
    """Bases and exponents that are no digits off when a number is taken off them.

    Only where the base to all of these exponents is a normal number.
    """
    bases, exponents = pairs(POSITIVE, within(-20.0, 20.0), count=30)(dtype, rng)
    exponents = np.round(exponents * 64.0) / 64.0
    sizes = np.log2(bases) * np.array([[0.0], [1.0], [2.0]] - exponents) * -1.0
    is_normal = np.all(np.abs(sizes) < np.log2(np.finfo(dtype).max) - 3.0, axis=0)
    return bases[is_normal], exponents[is_normal]


PAIRS, FEW = pairs(LINE, LINE, count=15), pairs(LINE, LINE, count=6)
BINARY = [
    Row(np.add, lambda x, y: x + y, FEW),
    Row(np.subtract, lambda x, y: x - y, FEW),
    Row(np.multiply, lambda x, y: x * y, FEW),
    Row(np.divide, lambda x, y: x / y, PAIRS),
    Row(np.power, mp.power, powers),
    Row(np.arctan2, mp.atan2, PAIRS),
    Row(np.hypot, mp.hypot, PAIRS),
    Row(np.logaddexp, log_of_sum(mp.e), FEW, units=2),
    Row(np.logaddexp2, log_of_sum(2), PAIRS, units=2),
    Row(np.copysign, lambda x, y: abs(x) if y >= 0 else -abs(x), FEW),
]


def times(factor, name, function, exact, points):
    """A multiple of a function: what comes back is large or small itself."""
    return Row(
        lambda x: factor * function(x),
        lambda x: factor * exact(x),
        points,
        orders=1,
        name=f"{factor:.0e} * {name}",
    )


# Their slopes are inverses of squares, or have one in them.
WITH_SQUARES = [
    ("arcsinh", np.arcsinh, mp.asinh, LINE),
    ("arccosh", np.arccosh, mp.acosh, within(1.0)),
    ("arctan", np.arctan, mp.atan, LINE),
    ("arctan2 above", lambda x: np.arctan2(x, 3.0), lambda x: mp.atan2(x, 3), LINE),
    ("arctan2 below", lambda x: np.arctan2(3.0, x), lambda x: mp.atan2(3, x), LINE),
    ("hypot", lambda x: np.hypot(x, 3.0), lambda x: mp.hypot(x, 3), LINE),
    ("reciprocal", np.reciprocal, lambda x: 1 / x, LINE),
    ("quotient", lambda x: 3.0 / x, lambda x: 3 / x, LINE),
    ("power -1", lambda x: x**-1, lambda x: 1 / x, LINE),
    ("cbrt", np.cbrt, cube_root, LINE),
    ("sqrt", np.sqrt, mp.sqrt, POSITIVE),
    ("log1p", np.log1p, mp.log1p, within(-1.0)),
]
MULTIPLES = [times(n, *row) for row in WITH_SQUARES for n in (2.0**90, 2.0**-90)]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("row", [*UNARY, *BINARY, *MULTIPLES], ids=str)
@pytest.mark.seeds(1)
def test_precision(row, dtype, seed):
    assert not misses(row, dtype, seed)


# ----- Python's functions -----
def of_numbers(function, exact, points, **options):
    return Row(function, exact, points, of_arrays=False, **options)


def between_poles(dtype, rng):
    """Not too near to 0: of so many digits, mpmath's takes half a minute."""
    found = within(-9.0, 0.0, -1.0, -2.0, -7.0, step=5)(dtype, rng)
    return found[(found != np.round(found)) & (found < -1e-40)]


NUMBERS = [
    of_numbers(math.erf, mp.erf, within(-3.0, 3.0), orders=1),
    of_numbers(math.erfc, mp.erfc, within(-3.0, 20.0), orders=1),
    of_numbers(math.gamma, mp.gamma, within(1.5, 170.0), units=2),
    of_numbers(math.gamma, mp.gamma, between_poles, units=4, name="gamma below 0"),
    of_numbers(math.lgamma, mp.loggamma, within(2.5, 1e300, 3.0), units=2),
    of_numbers(math.hypot, mp.hypot, PAIRS),
    of_numbers(math.atan2, mp.atan2, PAIRS),
    of_numbers(lambda x, y: math.dist([x, 0], [0, y]), mp.hypot, PAIRS, name="dist"),
    of_numbers(
        lambda x, y: math.log(x, y),
        lambda x, y: mp.log(x) / mp.log(y),
        pairs(POSITIVE, within(1.1, 1e10)),
        units=2,
        name="log of a base",
    ),
]


@pytest.mark.parametrize("row", NUMBERS, ids=str)
@pytest.mark.seeds(1)
def test_precision_of_pythons(row, seed):
    assert not misses(row, np.float64, seed)


# ----- Powers at zero, twice -----
# Each row: a function of x and an exponent that is 1.1, and its second derivative at 0.
AT_ZERO = [
    (lambda x, p: x * (1.0 - x**p), 0.0),
    (lambda x, p: x**p * x, 0.0),
    (lambda x, p: np.sin(x) * x**p + x * x, 2.0),
    (lambda x, p: np.power(x, p) * (x + x**2), 0.0),
    (lambda x, p: x ** (p + 1.0), 0.0),
    (lambda x, p: x**p, np.inf),
    (lambda x, p: (x + 1.0) * x**p, np.inf),
    (lambda x, p: -2.0 * x**p, -np.inf),
]
ZEROS = [0.0, np.float64(0.0), np.float32(0.0), np.zeros(2), np.zeros(3, np.float32)]


@pytest.mark.parametrize("zero", ZEROS, ids=repr)
@pytest.mark.parametrize("is_value", [False, True])
@pytest.mark.parametrize(("function", "expected"), AT_ZERO)
def test_powers_at_zero_twice(function, expected, is_value, zero):
    function = function if is_value else lambda x, p, f=function: f(x, 1.1)
    twice = srcgrad.elementwise_grad(srcgrad.elementwise_grad(function))
    with np.errstate(all="ignore"):
        with srcgrad.set_stance("tape"):
            assert np.all(twice(zero, 1.1) == expected)
        for _ in range(3):
            assert np.all(twice(zero, 1.1) == expected)
        thrice = srcgrad.elementwise_grad(twice)
        assert np.all(np.isfinite(thrice(zero + 2.0, 1.1)))


def test_by_an_exponent_of_zero_a_slope_is_that_of_the_logarithm():
    by_both = srcgrad.grad(srcgrad.grad(lambda x, p: x**p), 1)
    for p in (0.0, np.float64(0.0)):
        for _ in range(3):
            assert by_both(4.0, p) == 0.25


@pytest.mark.parametrize("p", [0.0, 1.0, 2.0, 3.0])
def test_whole_powers_at_zero_by_an_exponent_that_is_an_array(p):
    function, slope = lambda x, p: np.power(0.5 * x, p), 1.0
    with np.errstate(all="ignore"):
        for order in range(4):
            function, slope = srcgrad.elementwise_grad(function), slope * (p - order)
            expected = 0.5**p * slope if order + 1 == p else 0.0
            with srcgrad.set_stance("tape"):
                assert function(np.zeros(2), np.full(2, p)).tolist() == [expected] * 2
            for _ in range(3):
                assert function(0.0, np.float64(p)) == expected
