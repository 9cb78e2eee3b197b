"""Integers that Python makes of numbers, ``int(t)``, are in the graph: one trace."""

import math

import numpy as np
import pytest

import srcgrad

GRID = np.linspace(-3.0, 3.0, 13)
TABLE = np.sin(GRID)


def largest(x, s):
    i = int(np.argmax(x))
    return x[i] * s + TABLE[i] * s + TABLE[i + 1] * i


def interpolated(x, s):
    t = (s + 3.0) / 0.5
    i = int(np.floor(t))
    w = t - i
    return TABLE[i] * (1 - w) + TABLE[i + 1] * w * x[i]


def clamped(x, s):
    i = max(0, min(math.floor(s * 9) - 4, len(GRID) - 2))
    return TABLE[i] * s + x[i] * i


def binned(x, s):
    y = np.zeros(12)
    for v in x:
        y[int(abs(v) * 3)] += v * s
    return np.sum(y**2)


def steps_of_a_size(x, s):
    n = int(np.ceil(s / 0.1))
    dt, t, y = s / n, 0.0, x[0]
    for _ in range(n):
        y = y + dt * np.sin(y * t)
        t = t + dt
    return y * s


def branched(x, s):
    i = round(s * 4)
    if i < 3:
        return x[i] * s
    return x[i - 3] * s**2 - (x[i] if i % 2 == 0 else s)


def bisected(x, s):
    lo, hi = int(s * 0.0), len(GRID) - 1
    while hi - lo > 1:
        mid = (lo + hi) // 2
        if GRID[mid] <= s:
            lo = mid
        else:
            hi = mid
    w = (s - GRID[lo]) / (GRID[hi] - GRID[lo])
    return TABLE[lo] * (1 - w) + TABLE[hi] * w


def counted(x, s):
    k = int(np.sum(x > s - 1.0))
    return np.sum(x) / max(k, 1) + (k + 1) // 2 * s


def quotients(x, s):
    i = math.ceil(s * 5)
    return (i % 3) * s + x[i // 2] + (i + 1) / (i + 2) * s - i * x[0]


ONE_TRACE = [largest, interpolated, clamped, binned, steps_of_a_size, branched]
ONE_TRACE += [counted, quotients]


def points(count, rng):
    for _ in range(count):
        yield np.clip(rng.normal(size=12), -2.5, 2.5), rng.uniform(0.1, 2.0)


@pytest.mark.parametrize("program", [*ONE_TRACE, bisected], ids=lambda f: f.__name__)
def test_what_an_integer_does_is_as_on_the_tape(program):
    gradient = srcgrad.value_and_grad(program, argnums=(0, 1))
    for x, s in points(20, np.random.default_rng(0)):
        value, found = gradient(x, s)
        assert value == pytest.approx(program(x, s), 1e-12)
        with srcgrad.set_stance("tape"):
            _, expected = gradient(x, s)
        for ours, theirs in zip(found, expected, strict=True):
            np.testing.assert_allclose(ours, theirs, 1e-11, 1e-13)


@pytest.mark.parametrize("program", ONE_TRACE, ids=lambda f: f.__name__)
def test_which_integer_it_is_is_no_condition(program):
    rng, gradient = np.random.default_rng(0), srcgrad.grad(program)
    for x, s in points(6, rng):
        gradient(x, s)
    assert len(srcgrad.grad(program).explain(as_dict=True)["traces"]) <= 2
    with srcgrad.set_stance("fail_on_miss"):
        for x, s in points(12, rng):
            gradient(x, s)


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
