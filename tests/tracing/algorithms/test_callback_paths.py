"""The way back of a function that an algorithm calls, compiled and on the tape."""

import numpy as np
import pytest
from scipy import integrate, optimize

import srcgrad
from srcgrad.tracing.algorithms.callback_paths import as_vector


def one_output_twice(a):
    """The same number in two places, and one that depends on nothing."""

    def slope(t, y):
        rate = -a * y[0]
        return [rate, rate, 1.0]

    return np.sum(integrate.odeint(slope, [1.0, a, 0.0], [0.0, 1.0], tfirst=True))


def what_it_gets(a):
    return np.sum(optimize.fsolve(lambda x: x - np.array([a, 2.0]), np.ones(2)))


def without_what_is_around(a):
    return a * optimize.brentq(lambda x: x * x - 2.0, 0.0, 2.0)


@pytest.mark.parametrize(
    "function", [one_output_twice, what_it_gets, without_what_is_around]
)
def test_gradients_are_those_of_the_tape(function):
    traced = srcgrad.trace(function)
    for a in (1.5, 1.6):
        found = srcgrad.value_and_grad(traced)(a)
        expected = srcgrad.value_and_grad(function).untraced((a,), {})
        np.testing.assert_allclose(found, expected, rtol=1e-8)
    assert traced.stats.compiled == 1, traced.explain()


def test_a_list_is_a_vector():
    assert as_vector([1.0, 2.0]).tolist() == [1.0, 2.0]
    assert as_vector(3.0) == 3.0
