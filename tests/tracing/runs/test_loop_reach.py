"""Which inputs have a gradient where loops run zero times, once, or any time."""

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable


def used_in_it_alone(x, v, a, n):
    s = x * 2.0
    for _ in range(2, n + 2):
        s = np.sin(s) - a
    return s


def elements(x, v, a, n):
    s = x * 2.0
    for k in range(n):
        s = s - np.cos(v) * a * (k + 1)
    return s


def checked_first(x, v, a, n):
    s, k = x * 1.0, v * 0.0 + 0.5
    while k < n:
        s, k = s * a, k + 1.0
    return s


def checked_last(x, v, a, n):
    s, k = x * 1.0, np.floor(v * 0.1)
    while True:
        s, v, k = s + v, v * a, k + 1.0
        if k >= n:
            break
    return s


def two_steps_away(x, v, a, n):
    x = x * 2.0
    for _ in range(n):
        x, v = x + v, v + a
    return x


def three_steps_away(x, v, a, n):
    x, b = x * 2.0, v * 0.5
    for _ in range(n):
        x, v, b = x + v, np.sin(v) + b, b + a
    return x


def every_other_step(x, v, a, n):
    x, v = x * 2.0, v * 3.0
    for _ in range(n):
        x, v = np.sin(v) * a, np.cos(x)
    return x


def no_more_after_one(x, v, a, n):
    s, v = x * 2.0, v * 1.0
    for _ in range(n):
        s, v = np.sin(v) * a, v * 0.9
    return s


def two_loops(x, v, a, n):
    for _ in range(n):
        v = np.sin(v) * a
    for _ in range(n // 4):
        x = x * v
    return x * 1.0


def loop_in_a_loop(x, v, a, n):
    s = x * 1.0
    for _ in range(6):
        for _ in range(n):
            s = np.sin(s * v)
        s = s + 0.1
    return s


def always(x, v, a, n):
    s = x * v * a
    for _ in range(n):
        s = np.sin(s * a) * v
    return s


MATTER = [
    *(used_in_it_alone, elements, checked_first, checked_last, two_steps_away),
    *(three_steps_away, every_other_step, no_more_after_one, two_loops),
    loop_in_a_loop,
]


def gradients(function, *given):
    """Those of three leaves, after a walk back from each result in turn."""
    found = []
    leaves = [Variable(np.array(v), requires_grad=True) for v in (0.5, 0.7, 1.1)]
    results = function(*leaves, *given)
    for result in results if isinstance(results, tuple) else (results,):
        result.backward(retain_graph=True)
        found += [None if v.grad is None else float(v.grad.data) for v in leaves]
        for leaf in leaves:
            leaf.grad = None
    return found


@pytest.mark.parametrize("function", [*MATTER, always])
def test_what_no_iteration_uses_has_no_gradient(function):
    traced = srcgrad.trace(function)
    for n in (8, 9, 7, 0, 10, 1, 11, 2, 3, 9, 0, 5):
        expected = gradients(function, n)
        assert gradients(traced, n) == pytest.approx(expected), n
    assert traced.stats.compiled >= 1, traced.explain()


def test_where_all_is_reached_anyway_one_trace_is_enough():
    traced = srcgrad.trace(always)
    for n in (8, 9, 7, 0, 10, 1):
        gradients(traced, n)
    assert traced.stats.misses == 0
    assert traced.stats.compiled == 3


def test_the_next_count_is_compiled_again():
    traced = srcgrad.trace(two_steps_away)
    for n in (8, 9, 7, 0, 10, 1, 11, 2, 3):
        gradients(traced, n)
    assert traced.stats.misses == 2
    assert traced.stats.compiled == 4


# ----- Of a count that is known -----


def exchanged(x, v, a):
    x, v = x * 2.0, v * 3.0
    for _ in range(12):
        x, v = np.sin(v) * a, np.cos(x)
    return x


def side_by_side(x, v, a):
    x, v = x * 2.0, v * 3.0
    for _ in range(12):
        x, v = np.sin(x), np.cos(v) * a
    return x, v


def exchanged_in_two_results(x, v, a):
    for _ in range(11):
        x, v = np.sin(v), np.cos(x) * 0.5
    return x * a, v


def side_by_side_any_time(x, v, a, n):
    x, v = x * 2.0, v * 3.0
    for _ in range(n):
        x, v = np.sin(x), np.cos(v)
    return x, v * a


@pytest.mark.parametrize(
    "function", [exchanged, side_by_side, exchanged_in_two_results]
)
@pytest.mark.usefixtures("short_loops_too")
def test_each_result_leads_to_what_it_was_computed_from(function):
    traced = srcgrad.trace(function)
    for _ in range(3):
        assert gradients(traced) == pytest.approx(gradients(function))
    assert traced.stats.compiled == 2
    assert "\n    for " in traced.source()


@pytest.mark.usefixtures("short_loops_too")
def test_so_it_does_at_any_count():
    traced = srcgrad.trace(side_by_side_any_time)
    for n in (8, 9, 7, 0, 10, 1):
        expected = gradients(side_by_side_any_time, n)
        assert gradients(traced, n) == pytest.approx(expected), n
    assert traced.stats.compiled >= 3
