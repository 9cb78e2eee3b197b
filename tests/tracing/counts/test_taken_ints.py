"""Integers that Python makes of numbers, ``int(t)``, are in the graph: one trace."""

import math

import numpy as np
import pytest

import srcgrad


def cut(s):
    return int(s) * 0.5 + s


def floored(s):
    return math.floor(s) * 0.5 + s


@pytest.mark.parametrize("function", [cut, floored])
@pytest.mark.parametrize("number", [1e6, 2.0**20, -3e17, 1e300, -0.5, 0.25])
def test_large_numbers_are_as_exact_as_pythons(function, number):
    gradient = srcgrad.value_and_grad(function)
    for s in (2.5, 3.5, number, 1.5):
        assert repr(gradient(s)) == repr((function(s), 1.0))


@pytest.mark.parametrize("function", [cut, floored])
def test_what_is_no_number_is_no_integer(function):
    traced = srcgrad.trace(function)
    for s in (2.5, 3.5, 4.5):
        assert traced(s) == function(s)
    for special, kind in ((np.nan, ValueError), (np.inf, OverflowError)):
        with pytest.raises(kind, match="cannot convert float"):
            traced(special)


def test_an_integer_that_is_given_back_is_one():
    traced = srcgrad.trace(
        lambda s: (int(s * 3), round(s), math.ceil(s) + 1, int(s) % 2)
    )
    for s in (0.7, 1.7, 2.2, 2.9):
        found = traced(s)
        assert found == (int(s * 3), round(s), math.ceil(s) + 1, int(s) % 2)
        assert {*map(type, found)} == {int}


def test_a_variable_rounds_to_a_variable():
    traced = srcgrad.trace(lambda v: (round(v) * v, round(v)))
    for s in (0.7, 1.7, 2.2):
        product, whole = traced(srcgrad.Variable(s, requires_grad=True))
        assert isinstance(whole, srcgrad.Variable)
        assert float(whole.data) == round(s)
        assert product.requires_grad


def elsewhere(x, s):
    i = int(s * 4)
    if i > 20:
        return x[0] * i
    if i < len(x):
        return x[i] * s
    return s * s


def test_an_arm_that_does_not_run_takes_no_element():
    gradient = srcgrad.value_and_grad(elsewhere, argnums=(0, 1))
    x = np.arange(1.0, 5.0)
    for s in (0.3, 0.6, 0.9, 3.0, 7.0, 0.5, 2.0):
        value, (dx, ds) = gradient(x, s)
        assert value == elsewhere(x, s)
        with srcgrad.set_stance("tape"):
            _, expected = gradient(x, s)
        np.testing.assert_array_equal(dx, expected[0])
        assert ds == expected[1]
