"""Least squares, differentiated in the data and the parameters."""

import numpy as np
import pytest
import scipy.optimize

import srcgrad
from srcgrad.checking import gradcheck, gradgradcheck
from srcgrad.scipy import optimize
from tests.variables import variable

X = np.linspace(0.0, 2.0, 5)
Y = 2.0 * np.exp(-1.3 * X) + 0.05 * np.cos(9.0 * X)
SIGMA = np.linspace(0.5, 1.5, 5)
TIGHT = {"ftol": 1e-15, "xtol": 1e-15, "gtol": 1e-15}

# Steps that are long against how exactly SciPy stops.
LONG = {"eps": 1e-4, "rtol": 1e-3, "atol": 1e-4}


def decay(x, a, b):
    return a * np.exp(-b * x)


def slopes(x, a, b):
    return np.stack([np.exp(-b * x), -a * x * np.exp(-b * x)], axis=1)


def fitted(x, y, sigma=None, **options):
    return optimize.curve_fit(decay, x, y, (1.0, 1.0), sigma, jac=slopes, **options)


def test_a_curve_by_its_data():
    assert gradcheck(lambda x, y: fitted(x, y), (X, Y), rtol=1e-4, atol=1e-6)
    assert gradgradcheck(lambda y: fitted(X, y)[0], (Y,), rtol=1e-3, atol=1e-5)


def test_a_curve_by_the_weights_of_its_data():
    def fit(sigma):
        matrix = np.diag(sigma**2) + 0.01
        return fitted(X, Y, matrix), fitted(X, Y, sigma, absolute_sigma=True)

    assert gradcheck(fit, (SIGMA,), rtol=1e-4, atol=1e-6)


def test_a_curve_by_what_it_closes_over():
    def fit(k):
        return optimize.curve_fit(
            lambda x, a, b: a * np.exp(-b * x) + k * x, X, Y, (1.0, 1.0), **TIGHT
        )[0]

    assert gradcheck(fit, (np.array(0.1),), rtol=1e-3, atol=1e-4)


def test_the_covariances_and_residuals_of_leastsq_move_too():
    def told(y):
        _, spread, info, *_ = optimize.leastsq(
            lambda p: decay(X, *p) - y, (1.0, 1.0), full_output=True, **TIGHT
        )
        return spread, info["fvec"]

    assert gradcheck(told, (Y,), **LONG)
    spread, residuals = told(variable(Y))
    np.testing.assert_array_equal(spread.data, told(Y)[0])
    np.testing.assert_array_equal(residuals.data, told(Y)[1])


def test_a_curve_inside_bounds_and_on_one():
    bounds = [0.0, 0.0], [1.5, 9.0]
    (held, free), _ = srcgrad.jacobian(lambda y: fitted(X, y, bounds=bounds))(Y)
    inside = srcgrad.jacobian(
        lambda y: optimize.curve_fit(lambda x, b: decay(x, 1.5, b), X, y, **TIGHT)[0]
    )(Y)[0]
    np.testing.assert_allclose(held, 0.0, atol=1e-15)
    np.testing.assert_allclose(free, inside, rtol=1e-4, atol=1e-6)


def test_a_curve_is_as_scipys():
    found, expected = (
        fit(decay, X, data, full_output=True)
        for fit, data in (
            (optimize.curve_fit, variable(Y)),
            (scipy.optimize.curve_fit, Y),
        )
    )
    for ours, theirs in zip(found[:2], expected[:2], strict=True):
        np.testing.assert_allclose(ours.data, theirs, rtol=1e-4)
    assert found[3:] == expected[3:]
    assert type(optimize.curve_fit(decay, X, Y)[0]) is np.ndarray


def misfit(p, x, y):
    return p[0] * np.exp(-p[1] * x) - y


def slopes_of_misfit(p, x, y):
    return slopes(x, *p)


@pytest.mark.parametrize("loss", ["linear", "soft_l1", "huber", "cauchy", "arctan"])
def test_least_squares(loss):
    def solve(y):
        found = optimize.least_squares(
            *(misfit, np.ones(2), slopes_of_misfit), args=(X, y), loss=loss, **TIGHT
        )
        return found.x, found.cost, found.fun

    y = 20.0 * (Y + 0.3 * (X > 1.9))
    found = scipy.optimize.least_squares(
        *(misfit, np.ones(2), slopes_of_misfit), args=(X, y), loss=loss, **TIGHT
    )
    np.testing.assert_allclose(solve(variable(y))[1].data, found.cost, rtol=1e-10)
    # Where SciPy stops depends on the processor: steps are long against that.
    assert gradcheck(solve, (y,), **{**LONG, "eps": 1e-3})


def test_least_squares_on_a_bound():
    def solve(y):
        return optimize.least_squares(
            lambda p: misfit(p, X, y),
            *(np.ones(2), lambda p: slopes(X, *p), (0.0, [1.5, np.inf])),
            **TIGHT,
        ).x

    assert gradcheck(solve, (Y,), **LONG)


def test_leastsq():
    assert gradcheck(
        lambda y: optimize.leastsq(
            misfit, np.ones(2), (X, y), slopes_of_misfit, **TIGHT
        )[0],
        (Y,),
        **LONG,
    )


@pytest.mark.parametrize("bounds", [(-np.inf, np.inf), (0.0, 0.7)])
def test_linear_least_squares(bounds):
    rng = np.random.default_rng(0)
    A, b = rng.normal(size=(4, 2)), rng.normal(size=4)

    def solve(A, b):
        found = optimize.lsq_linear(A, b, bounds, tol=1e-14)
        return found.x, found.cost, found.fun

    assert gradcheck(solve, (A, b), atol=1e-5)
    assert gradgradcheck(lambda b: solve(A, b), (b,), atol=1e-4)


@pytest.mark.parametrize("increasing", [True, False])
def test_isotonic_regression(increasing):
    y, weights = np.array([1.0, 3.0, 2.0, 2.5, 0.5]), np.linspace(1.0, 2.0, 5)

    def solve(y, weights):
        found = optimize.isotonic_regression(y, weights=weights, increasing=increasing)
        return found.x, found.weights

    expected = scipy.optimize.isotonic_regression(y, increasing=increasing)
    found = optimize.isotonic_regression(variable(y), increasing=increasing)
    np.testing.assert_allclose(found.x.data, expected.x)
    np.testing.assert_allclose(found.weights, expected.weights)
    assert gradcheck(solve, (y, weights))


def test_what_has_no_derivative():
    with pytest.raises(srcgrad.NoRuleError, match="loss of your own"):
        optimize.least_squares(
            misfit, np.ones(2), args=(X, variable(Y)), loss=lambda z: np.stack([z] * 3)
        )
    with pytest.raises(srcgrad.NoRuleError, match="nan_policy"):
        fitted(X, variable(Y), nan_policy="omit")
