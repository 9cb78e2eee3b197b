"""Radial basis functions."""

import numpy as np
import pytest
import scipy.interpolate

import srcgrad
from srcgrad.checking import gradcheck, gradgradcheck
from srcgrad.scipy import interpolate
from tests.variables import variable

RNG = np.random.default_rng(0)
PLACES = RNG.uniform(0.0, 1.0, (6, 2))
VALUES = np.sin(3.0 * PLACES[:, 0]) + PLACES[:, 1] ** 2
POINTS = 0.5 * PLACES[:3] + 0.3 * PLACES[2:5] + 0.2 * PLACES[[5, 0, 1]]


@pytest.mark.parametrize(
    "kernel",
    [
        *("linear", "thin_plate_spline", "cubic", "quintic", "multiquadric"),
        *("inverse_multiquadric", "inverse_quadratic", "gaussian"),
    ],
)
def test_radial_basis_functions(kernel):
    def call(y, d, x, epsilon, smoothing):
        made = interpolate.RBFInterpolator(
            y, d, kernel=kernel, epsilon=epsilon, smoothing=smoothing
        )
        return made(x)

    args = PLACES, VALUES, POINTS, np.array(1.5), np.array(0.1)
    np.testing.assert_allclose(call(*map(variable, args)).data, call(*args), atol=1e-9)
    if kernel in ("thin_plate_spline", "gaussian", "linear"):
        assert gradcheck(call, args)


def test_radial_basis_functions_twice():
    def call(d, x):
        return interpolate.RBFInterpolator(PLACES, d)(x)

    assert gradgradcheck(call, (VALUES, POINTS[:2]))


def test_some_neighbours():
    def call(y, d, x, smoothing):
        made = interpolate.RBFInterpolator(y, d, neighbors=4, smoothing=smoothing)
        return made(x)

    args = PLACES, np.stack([VALUES, PLACES[:, 0]], 1), POINTS, np.full(6, 0.1)
    np.testing.assert_allclose(call(*map(variable, args)).data, call(*args), atol=1e-10)
    assert gradcheck(call, args)


@pytest.mark.parametrize(
    "function",
    [
        *("multiquadric", "inverse", "gaussian", "linear", "cubic", "quintic"),
        "thin_plate",
    ],
)
def test_the_older_class(function):
    def call(x, y, d, p):
        made = interpolate.Rbf(x, y, d, function=function, smooth=0.1)
        return made(p, 0.5 * p)

    args = *PLACES.T, VALUES, POINTS[:, 0]
    np.testing.assert_allclose(call(*map(variable, args)).data, call(*args), atol=1e-9)
    assert gradcheck(call, args)


def test_the_older_class_with_columns_and_other_distances():
    table = np.stack([VALUES, VALUES**2], axis=1)

    def call(d, epsilon):
        options = {"mode": "N-D", "norm": "cityblock", "epsilon": epsilon}
        return interpolate.Rbf(*PLACES.T, d, **options)(*POINTS.T)

    args = table, np.array(0.8)
    np.testing.assert_allclose(call(*map(variable, args)).data, call(*args))
    assert gradcheck(call, args)
    plain = interpolate.Rbf(*PLACES.T, VALUES)
    assert isinstance(plain, scipy.interpolate.Rbf)
    assert type(plain(*POINTS.T)) is np.ndarray
    with pytest.raises(srcgrad.NoRuleError, match="function of your own"):
        interpolate.Rbf(*PLACES.T, variable(VALUES), function=lambda r: r)(*POINTS.T)
