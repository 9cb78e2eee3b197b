"""Which inputs have a gradient where loops run zero times, once, or any time."""

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable


def two_steps_away(x, v, a, n):
    x = x * 2.0
    for _ in range(n):
        x, v = x + v, v + a
    return x


def always(x, v, a, n):
    s = x * v * a
    for _ in range(n):
        s = np.sin(s * a) * v
    return s


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
