"""Least squares, differentiated in the data and the parameters."""

import numpy as np
import scipy.optimize

import srcgrad
from srcgrad.scipy import optimize
from tests.variables import variable

X = np.linspace(0.0, 2.0, 5)
Y = 2.0 * np.exp(-1.3 * X) + 0.05 * np.cos(9.0 * X)
TIGHT = {"ftol": 1e-15, "xtol": 1e-15, "gtol": 1e-15}


def decay(x, a, b):
    return a * np.exp(-b * x)


def slopes(x, a, b):
    return np.stack([np.exp(-b * x), -a * x * np.exp(-b * x)], axis=1)


def fitted(x, y, sigma=None, **options):
    return optimize.curve_fit(decay, x, y, (1.0, 1.0), sigma, jac=slopes, **options)


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
