"""Tables on a grid: as SciPy's, and differentiable."""

import numpy as np
import pytest
import scipy.interpolate

import srcgrad
from srcgrad.checking import gradcheck, gradgradcheck
from srcgrad.scipy import interpolate
from tests.variables import variable

GRID = np.array([0.0, 1.0, 2.5]), np.array([3.0, 1.0, 0.0, -1.0])
VALUES = np.sin(np.arange(24.0)).reshape(3, 4, 2)
POINTS = np.array([[0.3, 0.4], [2.2, 2.1], [1.4, -0.8]])


def table(values, points, **options):
    return interpolate.RegularGridInterpolator(GRID, values, **options)(points)


def test_values_and_points():
    found = table(variable(VALUES), variable(POINTS)).data
    np.testing.assert_allclose(found, table(VALUES, POINTS), rtol=1e-13)
    assert gradcheck(table, (VALUES, POINTS))
    assert gradgradcheck(table, (VALUES[..., 0], POINTS))


@pytest.mark.parametrize("method", ["linear", "nearest"])
def test_beyond_the_grid(method):
    points = np.array([[0.3, 0.4], [5.0, 0.1], [np.nan, 0.0]])
    for fill in (np.nan, -1.0, None):
        options = {"method": method, "bounds_error": False, "fill_value": fill}
        found = table(variable(VALUES), variable(points), **options).data
        np.testing.assert_allclose(found, table(VALUES, points, **options), rtol=1e-13)
    with pytest.raises(ValueError, match="out of bounds"):
        table(variable(VALUES), points[1:2])


@pytest.mark.parametrize("method", ["slinear", "cubic"])
def test_splines(method):
    x = np.linspace(0.0, 1.0, 6)
    points = np.array([[0.31, 0.42], [0.83, 0.17]])

    def call(x, values, points):
        grid = x, np.array([0.0, 0.3, 0.4, 1.0])
        made = interpolate.RegularGridInterpolator(grid, values, method)
        return made(points), made(points, nu=(1, 0))

    args = x, np.sin(3.0 * x)[:, None] + np.arange(4.0) ** 2, points
    for found, expected in zip(call(*map(variable, args)), call(*args), strict=True):
        np.testing.assert_allclose(found.data, expected, rtol=1e-8)
    assert gradcheck(call, args, atol=1e-4)


def test_interpn():
    at = np.array([0.5, 2.0])
    for xi in (at, (at[:, None], np.array([0.1, 0.2, 2.9]))):
        expected = scipy.interpolate.interpn(GRID, VALUES, xi)
        found = interpolate.interpn(GRID, variable(VALUES), xi)
        np.testing.assert_allclose(found.data, expected, rtol=1e-13)
    one = interpolate.interpn((GRID[0],), variable(VALUES[:, 0, 0]), at)
    theirs = scipy.interpolate.interpn((GRID[0],), VALUES[:, 0, 0], at)
    np.testing.assert_allclose(one.data, theirs, rtol=1e-13)


def test_what_has_no_derivative():
    with pytest.raises(ValueError, match="does not support derivatives"):
        interpolate.RegularGridInterpolator(GRID, variable(VALUES))(
            POINTS, nu=(1, 0, 0)
        )
    with pytest.raises(srcgrad.NoRuleError, match="use 'cubic'"):
        interpolate.interpn(GRID, variable(VALUES), POINTS, "pchip")


def test_the_places_of_the_grid():
    """One of them runs downwards."""
    x, y = GRID[0], GRID[1][::-1]

    def call(x, y):
        made = interpolate.RegularGridInterpolator((x, y), VALUES[:, :, 0])
        return made(POINTS[:, :2])

    np.testing.assert_allclose(call(variable(x), variable(y)).data, call(x, y))
    assert gradcheck(call, (x, y))
