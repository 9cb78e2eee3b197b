"""Roots and minima, differentiated in their parameters."""

import numpy as np

from srcgrad.scipy import optimize
from tests.variables import variable

A, B = np.array([[3.0, 0.5], [0.2, 2.0]]), np.array([1.0, 2.0])


def residual(x, a, b):
    return a @ x + np.tanh(x) - b


def test_where_to_start_does_not_matter():
    x0 = variable([0.1, 0.1])
    found = optimize.root(residual, x0, (variable(A), B)).x
    found.sum().backward()
    assert x0.grad is None
