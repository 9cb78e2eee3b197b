"""Slopes by differences, as functions of what they are made of."""

import numpy as np
import pytest
import scipy.optimize

import srcgrad
from srcgrad.checking import gradcheck
from srcgrad.scipy import optimize
from tests.variables import variable

X, A = np.array([1.0, 2.0]), np.array([1.5, 0.7])
STEP = 1e-4


def number(x, a):
    return np.sum(a * x**3)


def slope(x, a):
    return 3.003 * a * x**2


def two(x, a):
    return np.stack([np.sum(a * x**2), np.prod(x)])


CALLS = {
    "of one": lambda module, x, a: module.approx_fprime(x, number, STEP, a),
    "of two": lambda module, x, a: module.approx_fprime(x, two, STEP, a),
    "each with a step": lambda module, x, a: module.approx_fprime(
        *(x, number, [STEP, 2 * STEP], a)
    ),
    "captured": lambda module, x, a: module.approx_fprime(
        *(X, lambda x: number(x, a), STEP)
    ),
    "check_grad": lambda module, x, a: module.check_grad(
        *(number, slope, x, a), epsilon=STEP
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_by_points_and_arguments(name):
    def call(x, a):
        return CALLS[name](optimize, x, a)

    found, expected = call(variable(X), variable(A)), CALLS[name](scipy.optimize, X, A)
    np.testing.assert_allclose(found.data, expected, rtol=1e-12)
    assert gradcheck(call, (X, A), atol=1e-5, rtol=1e-4)
    np.testing.assert_array_equal(call(X, A), expected)


def test_a_direction_that_is_drawn():
    with pytest.raises(srcgrad.NoRuleError, match="that is drawn"):
        optimize.check_grad(number, slope, variable(X), A, direction="random", rng=0)
