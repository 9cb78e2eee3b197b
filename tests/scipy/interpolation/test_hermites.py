"""PCHIP, Akima's and Hermite's cubics: as SciPy's, and differentiable."""

import numpy as np
import pytest
import scipy.interpolate

from srcgrad.checking import gradcheck, gradgradcheck
from srcgrad.scipy import interpolate
from tests.variables import variable

X = np.array([0.0, 0.5, 1.2, 2.0, 2.7, 3.5])
TABLE = np.stack([np.sin(2.0 * X), X**2 + X, np.exp(-X)], axis=1)
POINTS = np.array([0.1, 1.9, 3.3])

MADE = {
    "pchip": lambda x, y, axis=0: interpolate.PchipInterpolator(x, y, axis),
    "akima": lambda x, y, axis=0: interpolate.Akima1DInterpolator(x, y, axis),
    "makima": lambda x, y, axis=0: interpolate.Akima1DInterpolator(
        x, y, axis, method="makima"
    ),
    "hermite": lambda x, y, axis=0: interpolate.CubicHermiteSpline(x, y, y**2, axis),
}


@pytest.mark.parametrize("name", MADE)
def test_values_and_points(name):
    make = MADE[name]

    def call(y, point):
        return make(X, y.T, 1)(point)

    found, expected = call(variable(TABLE), variable(POINTS)).data, call(TABLE, POINTS)
    np.testing.assert_allclose(found, expected, atol=1e-13)
    assert gradcheck(call, (TABLE, POINTS))
    assert gradgradcheck(lambda y: make(X, y)(POINTS[:2]), (TABLE[:, 1],))
    line = make(X[:2], variable(TABLE[:2]))(0.2).data
    np.testing.assert_allclose(line, make(X[:2], TABLE[:2])(0.2), atol=1e-13)


def test_where_slopes_turn_or_agree():
    y = np.array([0.0, 1.0, 1.0, 1.0, 0.0, 4.0])
    for name in ("pchip", "akima"):
        found = MADE[name](X, variable(y))(POINTS)
        np.testing.assert_allclose(found.data, MADE[name](X, y)(POINTS), atol=1e-13)
        found.sum().backward()


def test_pchip_interpolate():
    y = TABLE[:, 0]
    for der in (0, 1, [0, 1]):
        ours = interpolate.pchip_interpolate(X, variable(y), POINTS, der)
        theirs = scipy.interpolate.pchip_interpolate(X, y, POINTS, der)
        ours = [each.data for each in ours] if isinstance(der, list) else ours.data
        np.testing.assert_allclose(ours, theirs, atol=1e-12)


@pytest.mark.parametrize("name", MADE)
def test_places(name):
    def call(x):
        return MADE[name](x, TABLE)(POINTS)

    np.testing.assert_allclose(call(variable(X)).data, call(X), atol=1e-13)
    assert gradcheck(call, (X,))
