"""Smooth surfaces over triangles."""

import numpy as np
import scipy.interpolate

import srcgrad
from srcgrad.checking import gradcheck
from srcgrad.scipy import interpolate
from tests.variables import variable

RNG = np.random.default_rng(0)
PLACES = RNG.uniform(0.0, 1.0, (9, 2))
VALUES = np.sin(3.0 * PLACES[:, 0]) + PLACES[:, 1] ** 2
POINTS = 0.5 * PLACES[:4] + 0.3 * PLACES[3:7] + 0.2 * PLACES[[8, 0, 7, 2]]


def call(places, values, points):
    made = interpolate.CloughTocher2DInterpolator(places, values, tol=1e-14)
    return made(points)


def test_by_places_values_and_points():
    args = PLACES, VALUES, POINTS
    np.testing.assert_allclose(call(*map(variable, args)).data, call(*args), atol=1e-10)
    assert np.all(np.isfinite(call(*args)))
    assert gradcheck(call, args)


def test_columns_and_what_is_outside():
    table = np.stack([VALUES, VALUES**2], axis=1)
    points = np.array([[[0.5, 0.5], [9.0, 9.0]]])
    found, expected = call(PLACES, variable(table), points), call(PLACES, table, points)
    np.testing.assert_allclose(found.data, expected, atol=1e-10)
    assert np.isnan(found.data[0, 1]).all()
    one = interpolate.griddata(PLACES, variable(VALUES), POINTS, "cubic")
    expected = scipy.interpolate.griddata(PLACES, VALUES, POINTS, "cubic")
    np.testing.assert_allclose(one.data, expected, rtol=1e-12)


def test_the_slope_of_the_slope():
    def steepness(points):
        return np.sum(srcgrad.grad(lambda x: np.sum(call(PLACES, VALUES, x)))(points))

    assert gradcheck(steepness, (POINTS[:1],))


def test_without_variables_it_is_scipys():
    made = interpolate.CloughTocher2DInterpolator(PLACES, VALUES)
    assert isinstance(made, scipy.interpolate.CloughTocher2DInterpolator)
    assert type(made(POINTS)) is np.ndarray
