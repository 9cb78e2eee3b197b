"""Comparisons of integers that change: an `if` of the graph, and one trace."""

import math

import numpy as np
import pytest

import srcgrad

PROGRAMS = []


def one_trace(function):
    PROGRAMS.append(function)
    return function


@one_trace
def from_a_day_on(x, n):
    total = 0.0
    for day in range(20):
        total = total * 0.9 + (x if day >= n else 1.0)
    return total


@one_trace
def between(x, n):
    if 2 <= n < 9 and n != 5:  # noqa: SIM108
        y = x * n
    else:
        y = x - n
    return y * y


@one_trace
def three_rates(x, n):
    rate = 0.1 if n < 4 else 0.01 if n < 8 else 0.001
    if n % 5 == 0:
        rate *= 2
    return rate * x * x


@one_trace
def by_its_truth(x, n):
    return x * 2.0 if n % 2 else x * x


@one_trace
def simpson(x, n):
    total = x * 0.0
    for i in range(n + 1):
        weight = 1.0 if i == 0 or i == n else 4.0 if i % 2 else 2.0
        total = total + weight * math.sin(x * i / 10)
    return total


@one_trace
def every_third(x, n):
    s = x * 1.5
    for i in range(n + 4):
        if i % 3 == 0:  # noqa: SIM108
            s = s + x * i
        else:
            s = s * x
    return s


@one_trace
def after_the_first(x, n):
    s = x
    for i in range(n + 4):
        if i > 2.5:
            s = s + math.cos(x * (i + 1))
    return s


@one_trace
def against_a_number_of_the_graph(x, n):
    s = x
    for i in range(n + 4):
        if i > 3 * x:
            s = s + math.sin(x)
    return s


@one_trace
def elements_in_arms(x, n):
    weights = np.arange(30.0)
    s = x
    for i in range(n + 4):
        if i % 4 < 2:  # noqa: SIM108
            s = s + float(weights[i]) * x
        else:
            s = s - x / (i + 1)
    return s


def calls(function, traced, count=40):
    """Some calls with integers that change, and what the tape gives."""
    rng = np.random.default_rng(0)
    plain = srcgrad.value_and_grad(function)
    for n in rng.integers(6, 16, count):
        args = float(rng.uniform(0.1, 0.9)), int(n)
        with srcgrad.set_stance("tape"):
            expected = plain(*args)
        yield traced(*args), expected, args


@pytest.mark.parametrize("function", PROGRAMS)
def test_one_trace_takes_either_arm(function):
    traced = srcgrad.value_and_grad(function)
    for (value, slope), (expected, gradient), args in calls(function, traced):
        assert type(value) is type(expected), args
        np.testing.assert_allclose(value, function(*args), 1e-12, 1e-12)
        np.testing.assert_allclose(slope, gradient, 1e-10, 1e-12)
    assert traced.stats.misses == 0, traced.explain()
    assert traced.stats.compiled >= 30, traced.explain()


@pytest.mark.parametrize(
    "function", [from_a_day_on, between, three_rates, by_its_truth]
)
def test_integers_too_large_to_be_floats(function):
    traced = srcgrad.value_and_grad(function)
    large = 2**53 + 1
    for n in (1, 7, 3, large, large + 1, 4, -large, 2, large - 1):
        value, slope = traced(0.5, n)
        with srcgrad.set_stance("tape"):
            expected, gradient = srcgrad.value_and_grad(function)(0.5, n)
        assert (value, slope) == (expected, gradient), n


def by_a_part_of_it(x, n):
    y = x[:n] if n > 3 else x
    return np.sum(y * y)


def test_an_arm_that_needs_the_number_itself_is_not_joined_for_it():
    traced = srcgrad.value_and_grad(by_a_part_of_it)
    x = np.arange(8.0)
    for n in (5, 5, 4, 4, 1, 1, 2, 2, 3, 3, 0, 5, 4, 1, 2, 3):
        value, slope = traced(x, n)
        np.testing.assert_array_equal(value, by_a_part_of_it(x, n))
        kept = n if n > 3 else 8
        np.testing.assert_array_equal(slope, 2.0 * x * (np.arange(8) < kept))
    guards = traced.explain()
    assert "`n > 3` was False" in guards
    assert "`n` was 3" not in guards
    assert "`n` was 1" not in guards
