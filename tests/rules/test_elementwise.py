"""Rules of NumPy's ufuncs: every sample, and slopes that are stated by hand."""

import numpy as np
import pytest

import srcgrad
import srcgrad.autograd
from srcgrad.tape.variable import Variable
from tests.rules.gradients import noisy, quiet, same

INF, NAN = np.inf, np.nan


# ----- Where formulas divide by zero, tie, or meet inf and nan -----


# Each row: a function of x, the point, the slope there. None of them may warn.
FINITE = [
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
]


@pytest.mark.parametrize(("function", "x", "slope"), FINITE)
def test_slope(function, x, slope):
    assert same(quiet(function, x)[0], slope)


# The slope is infinite, or there is none; NumPy may say so.
INFINITE = [
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
]


@pytest.mark.parametrize(("function", "x", "slope"), INFINITE)
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
]


@pytest.mark.parametrize(("function", "xs", "slopes"), PAIRS)
def test_slopes(function, xs, slopes):
    for found, slope in zip(quiet(function, *xs), slopes, strict=True):
        assert same(found, slope)


def test_negative_base_does_not_poison_the_slope_in_the_base():
    base, exponent = noisy(np.power, -2.0, 3.0)
    assert base == 12.0
    assert np.isnan(exponent)


def test_arctan2_has_no_slope_at_the_origin():
    assert same(noisy(np.arctan2, 0.0, 0.0), [NAN, NAN])


def test_what_is_not_chosen_does_not_poison():
    """sqrt has an infinite slope at 0, which must not come through as inf * 0."""
    for function in (
        lambda x: np.sqrt(np.maximum(x, 0.0)),
        lambda x: np.sqrt(np.fmax(x, 0.0)),
        lambda x: np.sqrt(np.clip(x, 0.0, None)),
        lambda x: np.sqrt(np.where(x > 0.0, x, 0.0)),
        lambda x: np.sqrt(-np.minimum(-x, 0.0)),
    ):
        assert same(noisy(function, [-1.0, 4.0])[0], [0.0, 0.25])


def test_nan_in_the_branch_not_taken_does_not_poison():
    x, y = quiet(lambda x, y: np.where([True, False], x, y), [1.0, NAN], [NAN, 2.0])
    assert (x, y) == ([1.0, 0.0], [0.0, 1.0])


def test_an_exponent_that_changes_takes_the_short_cuts_of_each():
    def powers(x, p):
        return x**p

    slopes = srcgrad.elementwise_grad(powers)
    x = np.array([2.0, 0.0, -0.0, INF, -INF, NAN, -3.0])
    with np.errstate(all="ignore"):
        for p in (0.7, 0.7, 1.5, 0.0, 1.0, 2.0, -1.0, 3.0, 0.5):
            ours = slopes(x, p)
            with srcgrad.set_stance("tape"):
                np.testing.assert_array_equal(ours, slopes(x, p))


# ----- Second derivatives -----


def second(function, x):
    """The second derivative of a function of one number."""
    variable = Variable(np.array(x), requires_grad=True)
    (first,) = srcgrad.autograd.grad(function(variable), variable, create_graph=True)
    (found,) = srcgrad.autograd.grad(first, variable)
    return found.data.item()


@pytest.mark.parametrize(
    ("function", "x", "curvature"),
    [
        (lambda x: x**2, 0.0, 2.0),
        (lambda x: x**3, 0.0, 0.0),
        (lambda x: x**2.0, 0.0, 2.0),
        (np.square, 0.0, 2.0),
        (np.cos, 0.0, -1.0),
        (lambda x: x * np.abs(x), 2.0, 2.0),
    ],
)
def test_curvature(function, x, curvature):
    assert second(function, x) == curvature


def test_curvature_of_sinc_at_zero():
    assert second(np.sinc, 0.0) == pytest.approx(-(np.pi**2) / 3.0)
    for x in (1e-9, 1e-4, 0.031, 0.0319):
        u = np.pi * x
        exact = np.pi**2 * ((2.0 / u**3 - 1.0 / u) * np.sin(u) - 2.0 * np.cos(u) / u**2)
        if x > 0.01:
            assert second(np.sinc, x) == pytest.approx(exact, rel=1e-7)
        else:
            assert second(np.sinc, x) == pytest.approx(-(np.pi**2) / 3.0, rel=1e-6)
