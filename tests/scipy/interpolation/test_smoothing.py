"""Smoothing splines: where FITPACK chooses the knots, and how stiff they are."""

import numpy as np

import srcgrad
from srcgrad.scipy import interpolate

RNG = np.random.default_rng(0)
X = np.linspace(0.0, 3.0, 20)
Y = np.sin(2.0 * X) + 0.1 * RNG.standard_normal(20)
W, S, POINTS = np.linspace(1.0, 2.0, 20), np.array(0.3), np.array([0.3, 1.7])


def residual(x, y, w, s):
    tck = interpolate.splrep(x, y, w, s=s)
    return np.sum((w * (y - interpolate.splev(x, tck))) ** 2)


def test_the_residual_is_what_was_asked_for():
    """To second order: exactly, unlike differences."""
    args = X, Y, W, S
    slopes = srcgrad.grad(residual, (0, 1, 2, 3))(*args)
    for slope in slopes[:3]:
        np.testing.assert_allclose(slope, 0.0, atol=1e-9)
    np.testing.assert_allclose(slopes[3], 1.0)
    for curvature in srcgrad.hessian(residual, (1, 3))(*args)[0]:
        np.testing.assert_allclose(curvature, 0.0, atol=1e-6)
