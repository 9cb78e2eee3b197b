"""What functions take from around them is differentiated as what is in ``args``."""

import functools
import math

import numpy as np
import pytest
import scipy.integrate
import scipy.optimize

import srcgrad
from srcgrad.scipy import integrate, optimize
from srcgrad.scipy.captures import captured, opened
from tests.variables import variable

GLOBAL = variable(2.0)


def of_global(x):
    return x * x - GLOBAL


def of_cell(a):
    return lambda x: x * x - a


def of_tuple(a):
    pair = (a, 1.0)
    return lambda x: x * x - pair[0] * pair[1]


def of_default(a):
    return lambda x, a=a: x * x - a


def of_inner_function(a):
    def square(x):
        return x * x - a

    return lambda x: sum(square(each) for each in (x,))


def of_partial(a):
    return functools.partial(lambda x, a: x * x - a, a=a)


def of_itself(a):
    def f(x, depth=1):
        return f(x, depth - 1) if depth else x * x - a

    return f


@pytest.mark.parametrize(
    "make", [of_cell, of_tuple, of_default, of_inner_function, of_partial]
)
def test_where_a_function_finds_a_variable(make):
    found = srcgrad.grad(lambda a: optimize.brentq(make(a), 0.0, 5.0, xtol=1e-14))(2.0)
    assert found == pytest.approx(0.5 / np.sqrt(2.0))


def test_a_global():
    optimize.brentq(of_global, 0.0, 5.0).backward()
    assert GLOBAL.grad.item() == pytest.approx(0.5 / np.sqrt(2.0))


def test_a_function_that_calls_itself_is_not_followed_without_end():
    with pytest.raises(srcgrad.NoRuleError, match="pass it on"):
        optimize.brentq(of_itself(variable(2.0)), 0.0, 5.0)


def test_in_a_transformed_function_under_scipys_own_names():
    def loss(k):
        end = scipy.integrate.solve_ivp(
            lambda t, y: -k * y, (0.0, 1.0), [1.0], rtol=1e-9, atol=1e-9
        ).y[0, -1]
        area = scipy.integrate.dblquad(
            lambda y, x: k * x * y, 0.0, 1.0, lambda x: 0.0, lambda x: k * x
        )[0]
        least = scipy.optimize.minimize_scalar(lambda x: (x - k) ** 2).x
        return end + area + least

    expected = -np.exp(-2.0) + 1.5 + 1.0
    assert srcgrad.grad(loss)(2.0) == pytest.approx(expected, rel=1e-6)


def test_args_and_what_is_around_together():
    def area(a, b):
        return integrate.quad(lambda x, b: a * x + b, 0.0, 1.0, args=(b,))[0]

    assert srcgrad.grad(area, argnums=(0, 1))(2.0, 3.0) == pytest.approx((0.5, 1.0))


def test_what_is_captured_and_what_is_opened():
    a = variable(2.0)
    function = of_cell(a)
    assert captured([function, np.sum, len]) == [a]
    assert captured(lambda x: x) == []
    assert opened(function, [a])(3.0, 1.0) == 8.0


def of_arrays(t, y, k):
    return np.array([-k * y[0], k * y[0] - math.sqrt(k) * y[1]])


def of_a_buffer(t, y, k):
    slope = np.zeros(2)
    slope[0] = -k * y[0]
    slope[1] = -slope[0] - math.sqrt(k) * y[1]
    return slope


@pytest.mark.parametrize("slope", [of_arrays, of_a_buffer])
def test_a_function_that_is_handed_to_scipy_is_followed(slope):
    def end(k):
        return scipy.integrate.solve_ivp(
            slope, (0.0, 1.0), np.array([1.0, 0.0]), args=(k,), rtol=1e-9, atol=1e-9
        ).y[1, -1]

    difference = (end(2.0 + 1e-5) - end(2.0 - 1e-5)) / 2e-5
    assert srcgrad.grad(end)(2.0) == pytest.approx(difference, rel=1e-5)
