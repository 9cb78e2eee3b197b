"""A value from one place, its gradient from another."""

import numpy as np

import srcgrad
from srcgrad.valued import valued


def test_the_value_is_what_it_was_given_and_the_gradient_the_formulas():
    def f(x):
        return np.sum(valued(x**3, np.array([1.0, 2.0])))

    value, gradient = srcgrad.value_and_grad(f)(np.array([3.0, 4.0]))
    assert value == 3.0
    assert gradient.tolist() == [27.0, 48.0]
    assert srcgrad.grad(lambda v: np.sum(valued(1.0, v)))(np.ones(2)).tolist() == [0, 0]
