"""Values at scattered points: radial functions, triangles, the nearest."""

import numpy as np
import pytest
import scipy.interpolate
import scipy.spatial

import srcgrad
from srcgrad.checking import gradcheck
from srcgrad.scipy import interpolate, spatial
from tests.variables import variable

RNG = np.random.default_rng(0)
PLACES = RNG.uniform(0.0, 1.0, (6, 2))
VALUES = np.sin(3.0 * PLACES[:, 0]) + PLACES[:, 1] ** 2
POINTS = 0.5 * PLACES[:3] + 0.3 * PLACES[2:5] + 0.2 * PLACES[[5, 0, 1]]


def test_values_of_more_than_one_column():
    table = np.stack([VALUES, VALUES**2], axis=1)
    for make in (interpolate.RBFInterpolator, interpolate.LinearNDInterpolator):
        found = make(PLACES, variable(table))(POINTS)
        np.testing.assert_allclose(found.data, make(PLACES, table)(POINTS), atol=1e-10)


CALLS = {
    "triangles": lambda p, v, x: interpolate.LinearNDInterpolator(p, v)(x),
    "griddata": lambda p, v, x: interpolate.griddata(p, v, x, fill_value=0.5),
    "griddata nearest": lambda p, v, x: interpolate.griddata(p, v, x, "nearest"),
    "nearest": lambda p, v, x: interpolate.NearestNDInterpolator(p, v)(x),
    "columns": lambda p, v, x: interpolate.griddata(
        (p[:, 0], p[:, 1]), v, (x[:, 0], x[:, 1]), fill_value=0.5
    ),
    "lines": lambda p, v, x: interpolate.griddata(p[:, 0], v, x[:, 0]),
    "cubics": lambda p, v, x: interpolate.griddata(
        (p[:, 0],), v, (x[:, 0],), method="cubic"
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_by_places_values_and_points(name):
    call = CALLS[name]
    points = np.concatenate([POINTS, [[9.0, 9.0]]]) if name == "columns" else POINTS
    args = PLACES, VALUES, points
    np.testing.assert_allclose(call(*map(variable, args)).data, call(*args), atol=1e-12)
    if name not in ("griddata", "griddata nearest", "columns"):
        assert gradcheck(call, args)


def test_a_triangulation_that_is_there():
    made = scipy.spatial.Delaunay(PLACES)
    found = interpolate.LinearNDInterpolator(made, variable(VALUES))(POINTS)
    expected = scipy.interpolate.LinearNDInterpolator(made, VALUES)(POINTS)
    np.testing.assert_allclose(found.data, expected)

    def call(places):
        made = spatial.Delaunay(places)
        return interpolate.LinearNDInterpolator(made, VALUES)(POINTS)

    np.testing.assert_allclose(call(variable(PLACES)).data, expected)
    assert gradcheck(call, (PLACES,))


def test_without_variables_they_are_scipys():
    for name in ("RBFInterpolator", "LinearNDInterpolator", "NearestNDInterpolator"):
        made = getattr(interpolate, name)(PLACES, VALUES)
        assert isinstance(made, getattr(scipy.interpolate, name))
        assert type(made(POINTS)) is np.ndarray


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda v: interpolate.LinearNDInterpolator(PLACES, v, rescale=True)(POINTS),
            "rescaled",
        ),
    ],
)
def test_what_has_no_derivative(call, message):
    with pytest.raises(srcgrad.NoRuleError, match=message):
        call(variable(VALUES))
