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


def test_what_has_no_derivative():
    with pytest.raises(srcgrad.NoRuleError, match="places that repeat"):
        interpolate.KroghInterpolator([0.0, 0.0, 1.0], variable(X[:3]))(0.5)
    with pytest.raises(srcgrad.NoRuleError, match="`derivative`"):
        interpolate.KroghInterpolator(X, variable(X)).derivative(0.5)
    with pytest.raises(srcgrad.NoRuleError, match="`der`"):
        interpolate.krogh_interpolate(X, variable(X), 0.5, 1)
