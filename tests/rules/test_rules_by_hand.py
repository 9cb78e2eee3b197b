"""Slopes of NumPy's functions that are stated by hand, and what is refused.

Where formulas divide by zero, tie, or meet inf and nan; each row is a function, the
point, and the slope there, or the error.
"""

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided
from numpy.polynomial import chebyshev, polynomial

import srcgrad
from srcgrad import Variable
from srcgrad.updates import assign
from tests.rules.gradients import backward, noisy, quiet, same

INF, NAN = np.inf, np.nan
PLACES = Variable(np.array([1, 1]))
MASK = [True, False, True]
WEIGHTS = np.array([1.0, 2.0, 3.0])


def norm(ord):
    return lambda x: np.linalg.norm(x, ord)


def stored(value):
    return assign(np.zeros(2), [0, 0, 1], value)


def beside(x):
    return np.sum(as_strided(x[::2], (2,), (x.itemsize,)))


# None of these may warn.
QUIET = [
    (np.abs, 0.0, 0.0),
    (np.abs, -0.0, 0.0),
    (np.abs, -INF, -1.0),
    (np.abs, 0j, 0j),
    (np.fabs, 0.0, 0.0),
    (np.sinc, 0.0, 0.0),
    (lambda x: x**2, 0.0, 0.0),
    (lambda x: x**1, 0.0, 1.0),
    (lambda x: x**0, 0.0, 0.0),
    (lambda x: x**0.0, 0.0, 0.0),
    (lambda x: x**0, INF, 0.0),
    (lambda x: x**0, NAN, 0.0),
    (lambda x: x**3, -2.0, 12.0),
    (lambda x: x**1.5, 0.0, 0.0),
    (lambda x: x**-1, 2.0, -0.25),
    (lambda x: 0.0**x, 2.0, 0.0),
    (lambda x: 0**x, 2.0, 0.0),
    (lambda x: np.maximum(x, 0.0), 0.0, 0.5),
    (lambda x: np.minimum(x, 0.0), 0.0, 0.5),
    (lambda x: np.maximum(x, NAN), 1.0, 0.0),
    (lambda x: np.fmax(x, NAN), 1.0, 1.0),
    (lambda x: np.fmin(NAN, x), 1.0, 1.0),
    (lambda x: np.fmax(x, 1.0), NAN, 0.0),
    (lambda x: np.maximum(x, INF), INF, 0.5),
    (lambda x: np.clip(x, 0.0, 1.0), 0.0, 1.0),
    (lambda x: np.clip(x, 0.0, 1.0), 1.0, 1.0),
    (lambda x: np.clip(x, 0.0, 1.0), NAN, 0.0),
    (lambda x: np.clip(x, 1.0, None), 1.0, 1.0),
    (lambda x: np.clip(x, None, 1.0), INF, 0.0),
    (np.nan_to_num, NAN, 0.0),
    (np.nan_to_num, INF, 0.0),
    (np.tanh, INF, 0.0),
    (np.tanh, -1000.0, 0.0),
    (np.exp, -INF, 0.0),
    (np.arctan, INF, 0.0),
    (np.log, INF, 0.0),
    (np.angle, 0j, 0j),
    (np.var, [2.0], [0.0]),
    (np.std, [2.0], [0.0]),
    (np.std, [2.0, 2.0], [0.0, 0.0]),
    (np.max, [1.0, 3.0, 3.0], [0.0, 0.5, 0.5]),
    (np.min, [1.0, 1.0, 3.0, 1.0], [1 / 3, 1 / 3, 0.0, 1 / 3]),
    (np.max, [-INF, -INF], [0.5, 0.5]),
    (np.max, [1.0, NAN], [0.0, 0.0]),
    (np.nanmax, [1.0, NAN, 0.0], [1.0, 0.0, 0.0]),
    (lambda x: np.max(x, initial=5.0), [1.0, 3.0], [0.0, 0.0]),
    (lambda x: np.max(x, initial=3.0), [1.0, 3.0], [0.0, 0.5]),
    (lambda x: np.min(x, initial=1.0), [1.0, 1.0], [1 / 3, 1 / 3]),
    (np.prod, [0.0, 2.0, 3.0], [6.0, 0.0, 0.0]),
    (np.prod, [0.0, 2.0, 0.0], [0.0, 0.0, 0.0]),
    (np.prod, [INF, 0.5], [0.5, INF]),
    (np.nansum, [1.0, NAN], [1.0, 0.0]),
    (np.ptp, [2.0, 2.0], [0.0, 0.0]),
    (np.nanmean, [1.0, NAN, 2.0], [0.5, 0.0, 0.5]),
    (np.nanprod, [2.0, NAN, 0.0], [0.0, 0.0, 2.0]),
    (np.median, [1.0, 5.0, 3.0], [0.0, 0.0, 1.0]),
    (np.median, [1.0, 5.0, 3.0, 4.0], [0.0, 0.0, 0.5, 0.5]),
    (np.median, [1.0, NAN, 3.0], [0.0, 0.0, 0.0]),
    (np.nanmedian, [1.0, NAN, 3.0, 7.0], [0.0, 0.0, 1.0, 0.0]),
    (lambda q: np.quantile([0.0, 1.0, 5.0], q), 0.6, 8.0),
    # Masked elements do not poison.
    (lambda x: np.sum(x, where=MASK), [1.0, NAN, 3.0], [1.0, 0.0, 1.0]),
    (lambda x: np.mean(x, where=MASK), [1.0, NAN, 3.0], [0.5, 0.0, 0.5]),
    (lambda x: np.var(x, where=MASK), [1.0, NAN, 3.0], [-1.0, 0.0, 1.0]),
    (lambda x: np.std(x, where=MASK), [1.0, NAN, 3.0], [-0.5, 0.0, 0.5]),
    (lambda x: np.prod(x, where=MASK), [1.0, NAN, 3.0], [3.0, 0.0, 1.0]),
    # Methods of ufuncs.
    (np.fmax.reduce, [1.0, NAN, 1.0], [0.5, 0.0, 0.5]),
    (np.logaddexp.reduce, [-INF, -INF], [0.0, 0.0]),
    (np.logaddexp.reduce, [1000.0, 0.0], [1.0, 0.0]),
    (np.hypot.reduce, [0.0, 0.0], [0.0, 0.0]),
    (np.logaddexp.accumulate, [1000.0, 0.0, 0.0], [3.0, 0.0, 0.0]),
    (np.maximum.accumulate, [1.0, 3.0, 2.0, 3.0], [1.0, 2.5, 0.0, 0.5]),
    (np.maximum.accumulate, [3.0, 1.0, 1.0], [3.0, 0.0, 0.0]),
    (np.floor_divide.accumulate, [5.5, 2.0, 1.0], [1.0, 0.0, 0.0]),
    (np.floor_divide.reduce, [5.5], [1.0]),
    # Norms.
    *((norm(n), [0.0, 0.0], [0.0, 0.0]) for n in (None, 2, 1, 0, INF, 3, 2.5)),
    *(
        (norm(n), [[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]])
        for n in (None, "fro", "nuc", 2, -2, 1, -1, INF)
    ),
    (norm(INF), [2.0, -2.0, 1.0], [0.5, -0.5, 0.0]),
    (norm(-INF), [2.0, -2.0, 1.0], [0.0, 0.0, 1.0]),
    (norm(0), [1.0, 0.0, 3.0], [0.0, 0.0, 0.0]),
    *((norm(n), [1e300, 2e300], s) for n, s in ((1, [1.0, 1.0]), (INF, [0.0, 1.0]))),
    (norm(-INF), [1e300, 2e300], [1.0, 0.0]),
    (norm("nuc"), [[1e300, 0.0], [0.0, 2e300]], [[1.0, 0.0], [0.0, 1.0]]),
    (norm(2), [[1e300, 0.0], [0.0, 2e300]], [[0.0, 0.0], [0.0, 1.0]]),
    # Elements that repeat, or stand in another order.
    (lambda x: np.sort(x) * WEIGHTS, [1.0, 0.0, 1.0], [2.0, 1.0, 3.0]),
    (lambda x: np.sort(x) * WEIGHTS[:2], [NAN, 1.0], [2.0, 1.0]),
    *((lambda x, o=order: x.ravel(o), [1.0], [1.0]) for order in "CFAK"),
    (lambda x: x[[0, 0, 1]] * WEIGHTS, [5.0, 6.0], [3.0, 3.0]),
    (lambda x: np.take(x, (1, 1, 1)) * WEIGHTS, [5.0, 6.0], [0.0, 6.0]),
    (lambda x: stored(x) * WEIGHTS[:2], [5.0, 6.0, 7.0], [0.0, 1.0, 2.0]),
    (lambda x: x[PLACES], [5.0, 6.0], [0.0, 2.0]),
    (lambda x: np.pad(x, 1, mode="empty"), [1.0, 2.0], [1.0, 1.0]),
    (lambda x: x[x > 5.5], [5.0, 6.0], [0.0, 1.0]),
    (lambda x: x[np.argmax(x)], [5.0, 6.0], [0.0, 1.0]),
    (lambda x: x[PLACES[0] :], [5.0, 6.0], [0.0, 1.0]),
]


@pytest.mark.parametrize(("function", "x", "slope"), QUIET)
def test_slope(function, x, slope):
    assert same(quiet(function, x)[0], slope)


# The slope is infinite, or there is none; NumPy may say so.
NOISY = [
    (np.sqrt, 0.0, INF),
    (lambda x: x**0.5, 0.0, INF),
    (np.cbrt, 0.0, INF),
    (np.log, 0.0, INF),
    (np.arccosh, 1.0, INF),
    (np.arcsin, 1.0, INF),
    (np.arctanh, 1.0, INF),
    (lambda x: 1.0 / x, 0.0, -INF),
    (lambda x: x**-1, 0.0, -INF),
    (lambda x: (-2.0) ** x, 2.0, NAN),
    (lambda x: np.var(x, ddof=1), [2.0], [NAN]),
    (norm(-1), [0.0, 2.0], [0.0, 0.0]),
    # Norms that have overflowed.
    *(
        (norm(n), x, [NAN, NAN])
        for n in (None, 2, 3, 2.5)
        for x in ([1e300, 1e300], [INF, 1.0], [NAN, 1.0])
    ),
    # What is not chosen does not poison: the slope of sqrt at 0 is infinite.
    *(
        (lambda x, f=chosen: np.sqrt(f(x)), [-1.0, 4.0], [0.0, 0.25])
        for chosen in (
            lambda x: np.maximum(x, 0.0),
            lambda x: np.fmax(x, 0.0),
            lambda x: np.clip(x, 0.0, None),
            lambda x: np.where(x > 0.0, x, 0.0),
            lambda x: -np.minimum(-x, 0.0),
        )
    ),
]


@pytest.mark.parametrize(("function", "x", "slope"), NOISY)
def test_infinite_slope(function, x, slope):
    assert same(noisy(function, x)[0], slope)


PAIRS = [
    (np.power, (0.0, 0.0), (0.0, 0.0)),
    (np.power, (0.0, 2.0), (0.0, 0.0)),
    (np.power, (0.0, 1.0), (1.0, 0.0)),
    (np.power, (3.0, 0.0), (0.0, np.log(3.0))),
    (np.power, (INF, 0.0), (0.0, INF)),
    (np.hypot, (0.0, 0.0), (0.0, 0.0)),
    (np.arctan2, (0.0, 2.0**-600), (2.0**600, 0.0)),
    (np.arctan2, (2.0**600, 0.0), (0.0, -(2.0**-600))),
    (np.logaddexp, (-INF, -INF), (0.0, 0.0)),
    (np.logaddexp, (-INF, 1.0), (0.0, 1.0)),
    (np.logaddexp, (1000.0, 0.0), (1.0, 0.0)),
    (np.logaddexp2, (-INF, -INF), (0.0, 0.0)),
    (np.maximum, (2.0, 2.0), (0.5, 0.5)),
    (np.minimum, (2.0, 2.0), (0.5, 0.5)),
    (np.fmax, (2.0, 2.0), (0.5, 0.5)),
    (np.fmax, (NAN, 2.0), (0.0, 1.0)),
    (np.fmin, (2.0, NAN), (1.0, 0.0)),
    (np.maximum, (INF, INF), (0.5, 0.5)),
    (lambda x, low: np.clip(x, low, 3.0), (1.0, 1.0), (1.0, 0.0)),
    (lambda x, low: np.clip(x, low, 3.0), (0.0, 1.0), (0.0, 1.0)),
    (lambda x, high: np.clip(x, 3.0, high), (2.0, 1.0), (0.0, 1.0)),
    (
        *(lambda x, y: np.where([True, False], x, y), ([1.0, NAN], [NAN, 2.0])),
        ([1.0, 0.0], [0.0, 1.0]),
    ),
]


@pytest.mark.parametrize(("function", "xs", "slopes"), PAIRS)
def test_slopes(function, xs, slopes):
    for found, slope in zip(quiet(function, *xs), slopes, strict=True):
        assert same(found, slope)


def test_a_condition_of_a_singular_matrix_has_no_slope():
    (found,) = noisy(np.linalg.cond, [[1.0, 2.0], [2.0, 4.0]])
    assert not np.any(np.abs(found) < 1e15)


def test_the_imaginary_part_that_irfft_drops_has_no_gradient():
    (g,) = quiet(
        lambda z: np.fft.irfft(z, 4) * [1.0, 2.0, 4.0, 8.0], [1.0 + 2j, 3j, 4j]
    )
    assert np.imag(g[0]) == np.imag(g[2]) == 0.0


def test_pad_widths_by_axis():
    if np.lib.NumpyVersion(np.__version__) < "2.4.0":
        pytest.skip("NumPy takes a dict from 2.4 on")
    assert quiet(lambda x: np.pad(x, {-1: (1, 2)}, mode="edge"), [[1.0, 2.0]]) == [
        [[2.0, 3.0]]
    ]


def test_a_number_has_no_axes_to_take_a_gradient_along():
    assert srcgrad.vjp(np.gradient, 2.0)[0] == np.gradient(2.0) == ()


def test_slopes_of_two_that_warn():
    assert same(noisy(np.power, -2.0, 3.0), [12.0, NAN])
    assert same(noisy(np.arctan2, 0.0, 0.0), [NAN, NAN])


# ----- Errors -----
SQUARE, WIDE, TWO = np.eye(3) + 0.1, np.ones((2, 3)), np.array([1.0, 2.0])
# What has no derivative, and NumPy's errors where the text is another.
REFUSED = [
    (lambda x: np.linalg.qr(x, "raw"), SQUARE, NotImplementedError, "mode='raw'"),
    (
        *(lambda x: np.reshape(x, (3, 2), order="A"), WIDE),
        *(NotImplementedError, "order='A'.*use order='C'"),
    ),
    (
        *(lambda x: np.real(np.fft.fftn(x, axes=(0, 0))), np.ones(3)),
        *(NotImplementedError, "call it once for each time"),
    ),
    (
        *(lambda x: np.pad(x, 1, lambda *args: None), TWO),
        *(NotImplementedError, r"no derivative of np\.pad with mode="),
    ),
    (
        *(lambda x: srcgrad.grad(beside)(x.data), np.ones(4)),
        *(srcgrad.NoRuleError, "no element of its argument"),
    ),
    (lambda x: np.block([[x], x]), SQUARE, ValueError, "evenly"),
    (lambda x: np.block([x, []]), SQUARE, ValueError, "empty"),
    (lambda x: np.select([x > 0], [x, x]), SQUARE, ValueError, "as many choices"),
    (lambda x: np.select([x], [x]), SQUARE, TypeError, "must be boolean"),
    (lambda x: np.linalg.multi_dot([x]), SQUARE, ValueError, "at least two"),
    (lambda x: np.linalg.outer(x, x), SQUARE, ValueError, "one-dimensional"),
    (lambda x: np.linalg.tensorinv(x, 0), SQUARE, ValueError, "Invalid ind"),
    (lambda x: np.quantile(x, 1.5), TWO, ValueError, "range"),
    (
        *(lambda x: np.quantile(x, 0.5, method="cubic"), TWO),
        *(ValueError, "'cubic' is not a valid method"),
    ),
    (
        *(lambda x: np.quantile(x, 0.5, weights=[1.0, 2.0]), TWO),
        *(ValueError, "Only method 'inverted_cdf'"),
    ),
    (lambda x: np.subtract.reduce(x, axis=(0, 1)), WIDE, ValueError, "not reorderable"),
    (lambda x: np.hypot.reduceat(x, [2]), WIDE, IndexError, "out-of-bounds in hypot"),
    (np.subtract.accumulate, 1.0, TypeError, "on a scalar"),
    (lambda x: np.subtract.reduceat(x, [0]), 1.0, TypeError, "on a scalar"),
    (np.subtract.reduce, np.zeros((0, 3)), ValueError, "subtract has no identity"),
    *(
        (
            *(lambda x, n=power: (np.poly1d(x) ** n)(2.0), TWO),
            *(ValueError, "Power to non-negative integers only"),
        )
        for power in (-1, 0.5)
    ),
    (
        *(lambda c: chebyshev.chebinterpolate(np.exp, -1, (c,)), 1.0),
        *(ValueError, "expected deg >= 0"),
    ),
]


@pytest.mark.parametrize(("function", "value", "error", "message"), REFUSED)
def test_a_rule_says_what_it_cannot_do(function, value, error, message):
    if not issubclass(error, NotImplementedError):
        with pytest.raises(error):
            function(np.array(value))
    with pytest.raises(error, match=message):
        backward(function, value)


# NumPy's own errors, word for word.
WRONG = [
    (lambda x: np.polyder(x, -1), TWO),
    (lambda x: np.polyint(x, -1), TWO),
    (lambda x: np.polyint(x, 3, [1.0, 2.0]), TWO),
    (lambda x: np.polyfit(x, [1.0], 1), TWO),
    (lambda x: np.polyfit(x, [1.0, 2.0], -1), TWO),
    (lambda x: np.polyfit(x, np.ones((2, 1, 1)), 1), TWO),
    (lambda x: np.polyfit(np.stack([x, x]), x, 1), TWO),
    (lambda x: np.polyfit(x[:0], x[:0], 1), TWO),
    (lambda x: np.polyfit(x, x, 0, w=np.ones(3)), TWO),
    (lambda x: np.polyfit(x, x, 0, w=np.ones((2, 1))), TWO),
    (lambda x: np.polyfit(x, x, 1, cov=True), TWO),
    (lambda x: np.poly(np.stack([x, x])[:1]), TWO),
    (lambda x: np.roots(np.stack([x, x])), TWO),
    (lambda x: chebyshev.chebdiv(x, np.zeros(2)), np.ones(3)),
    (lambda x: polynomial.polyfit(x, np.ones(2), 1), np.ones(3)),
    (lambda x: polynomial.polyadd(x, np.ones(2)), np.ones((2, 2))),
    (lambda x: chebyshev.chebpow(x, 17), np.ones(2)),
    (lambda x: np.apply_along_axis(np.sum, 0, x[:, :0]), WIDE),
    (lambda x: np.apply_over_axes(lambda x, axis: np.sum(x), x, 0), WIDE),
]
KINDS = ValueError, TypeError, ZeroDivisionError


@pytest.mark.parametrize(("function", "value"), WRONG)
def test_errors_are_numpys(function, value):
    with pytest.raises(KINDS) as theirs:
        function(value)
    with pytest.raises(theirs.type) as ours:
        srcgrad.grad(function)(value)
    assert str(ours.value) == str(theirs.value)
