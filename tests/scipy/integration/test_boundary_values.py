"""Boundary values, differentiated in what the functions close over."""

import numpy as np
import pytest
import scipy.integrate

import srcgrad
from srcgrad.checking import gradcheck
from srcgrad.scipy import integrate
from tests.variables import variable

X = np.linspace(0.0, 1.0, 4)


def bratu(k, end):
    """SciPy's own example: y'' + k exp(y) = 0."""
    return integrate.solve_bvp(
        lambda x, y: np.stack([y[1], -k * np.exp(y[0])]),
        lambda a, b: np.stack([a[0], b[0] - end]),
        *(X, np.zeros((2, 4))),
        tol=1e-6,
    )


def test_its_values_and_its_curve():
    args = np.array(1.0), np.array(0.1)
    found, expected = bratu(*map(variable, args)), bratu(*args)
    np.testing.assert_allclose(found.y.data, expected.y, atol=1e-12)
    np.testing.assert_allclose(found.sol(0.3).data, expected.sol(0.3), atol=1e-12)
    assert type(expected.y) is np.ndarray

    def middle(k, end):
        return bratu(k, end).sol(np.array([0.3, 0.5]))

    assert gradcheck(middle, args, eps=1e-4, rtol=1e-3, atol=1e-5)


def test_a_parameter_that_is_sought():
    """Sturm and Liouville's: of y'' + (p s)^2 y = 0, p s is a multiple of pi."""

    def wave(s):
        return scipy.integrate.solve_bvp(
            lambda x, y, p: np.stack([y[1], -((p[0] * s) ** 2) * y[0]]),
            lambda a, b, p: np.stack([a[0], b[0], a[1] - p[0]]),
            *(np.linspace(0.0, 1.0, 5), np.array([[0, 1, 0, -1, 0], [6, 0, -6, 0, 6]])),
            p=[6.0],
            tol=1e-6,
        ).p[0]

    assert srcgrad.grad(wave)(1.0) == pytest.approx(-2.0 * np.pi, rel=1e-5)


def test_what_has_no_derivative():
    k = variable(1.0)
    with pytest.raises(srcgrad.NoRuleError, match="singular"):
        integrate.solve_bvp(
            lambda x, y: k * np.stack([y[1], y[0]]),
            lambda a, b: np.stack([a[0], b[0] - 1.0]),
            *(X, np.zeros((2, 4)), None, np.zeros((2, 2))),
        )
