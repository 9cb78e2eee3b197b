"""Polynomials through points."""

import numpy as np
import pytest

import srcgrad
from srcgrad.checking import gradcheck, gradgradcheck
from srcgrad.scipy import interpolate
from tests.variables import variable

X = np.array([0.0, 0.4, 1.1, 2.0])
TABLE = np.stack([np.sin(X), X**2], axis=1)
POINTS = np.array([0.4, 1.7])  # one of them a place

CALLS = {
    "barycentric": lambda x, y, p: interpolate.BarycentricInterpolator(x, y)(p),
    "krogh": lambda x, y, p: interpolate.KroghInterpolator(x, y)(p),
    "barycentric_interpolate": interpolate.barycentric_interpolate,
    "krogh_interpolate": lambda x, y, p: interpolate.krogh_interpolate(
        x, y.T, p, axis=1
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_places_values_and_points(name):
    call, args = CALLS[name], (X, TABLE, POINTS)
    np.testing.assert_allclose(call(*map(variable, args)).data, call(*args), atol=1e-12)
    assert type(call(*args)) is np.ndarray
    if name != "barycentric_interpolate":
        assert gradcheck(call, args)


def test_twice():
    assert gradgradcheck(CALLS["krogh"], (X, TABLE[:, 0], POINTS))


TWICE = np.array([0.0, 0.4, 0.4, 0.4, 2.0])


@pytest.mark.parametrize("name", ["BarycentricInterpolator", "KroghInterpolator"])
def test_derivatives(name):
    def call(x, y, p):
        made = getattr(interpolate, name)(x, y)
        return made.derivative(p), made.derivative(p, 3), made.derivatives(p)

    args = X, TABLE, POINTS
    for found, expected in zip(call(*map(variable, args)), call(*args), strict=True):
        np.testing.assert_allclose(found.data, expected, atol=1e-10)
    assert gradcheck(call, args)


def test_values_and_derivatives_at_places_that_repeat():
    def call(y, p):
        made = interpolate.KroghInterpolator(TWICE, y)
        return made(p), made.derivative(p)

    args = np.array([1.0, -1.0, 0.5, 2.0, 0.3]), POINTS
    for found, expected in zip(call(*map(variable, args)), call(*args), strict=True):
        np.testing.assert_allclose(found.data, expected, atol=1e-12)
    assert gradcheck(call, args)


@pytest.mark.parametrize("der", [1, [0, 2]])
@pytest.mark.parametrize("name", ["barycentric_interpolate", "krogh_interpolate"])
def test_derivatives_at_once(name, der):
    def call(y, p):
        return getattr(interpolate, name)(X, y, p, der=der)

    args = X**2 - 1.0, POINTS
    np.testing.assert_allclose(call(*map(variable, args)).data, call(*args), atol=1e-12)
    assert gradcheck(call, args)


def test_what_has_no_derivative():
    with pytest.raises(srcgrad.NoRuleError, match="places that repeat"):
        interpolate.KroghInterpolator(variable(TWICE), TWICE)
    with pytest.raises(srcgrad.NoRuleError, match="come later"):
        interpolate.BarycentricInterpolator(variable(X))
