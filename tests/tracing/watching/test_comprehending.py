"""Comprehensions along arrays of any length: one trace, as of the loop that it is."""

import math

import numpy as np
import pytest

import srcgrad
from tests.tracing.counts.test_lengths import arguments, check_at_every_length


def by_number(x, y, a):
    return sum([a * x[i] for i in range(len(x))])


def in_pairs(x, y, a):
    return sum(a * u * v for u, v in zip(x, y, strict=True))


def with_numbers(x, y, a):
    return sum(k * a * v for k, v in enumerate(x, 1)) / len(x)


def pairs_in_pairs(x, y, a):
    return sum(k * u * v * a for k, (u, v) in enumerate(zip(x, y, strict=True)))


def an_array(x, y, a):
    return np.sum(np.array([np.exp(-v) * a for v in x]) ** 2)


def stacked(x, y, a):
    return np.sum(np.stack([np.sin(a * v) * np.ones(2) for v in x]))


def distances(x, y, a):
    return np.sum(np.array([[np.exp(-((u - v) ** 2) * a) for u in x] for v in y]))


def sums_of_sums(x, y, a):
    return sum(sum((u - v) ** 2 for v in y) * a for u in x)


def half(v):
    return 0.5 * v


def calls_of_the_users(x, y, a):
    return sum(half(v) + half(a) for v in x)


def carried_around_it(x, y, a):
    s = a * 1.0
    for u in x:
        s = s * 0.5 + u * sum(u * v + s for v in y)
    return s


OPEN = (by_number, in_pairs, with_numbers, pairs_in_pairs, an_array, distances)
OPEN = (*OPEN, sums_of_sums, calls_of_the_users, carried_around_it)


def with_a_condition(x, y, a):
    return sum(v * a for v in x if v > 0)


def of_floats(x, y, a):
    return sum(math.sin(v) for v in x) * a


def of_integers(x, y, a):
    return sum(i for i in range(len(x))) * a + sum([2 for _ in x])


def seen_as_a_list(x, y, a):
    each = [v * a for v in x]
    return each[0] + each[-1] + len(each) + sum(each[1:])


def lists_in_a_list(x, y, a):
    table = list([u * v for u in x] for v in y)  # noqa: C400 -- a call of a generator
    return sum(sum(row) for row in table) * a + len(table[0])


def the_name_outside(x, y, a):
    v = 3.0
    return sum(v * a for v in x) * v


def walrus(x, y, a):
    total = sum((last := v) * a for v in x)
    return total * last


def an_iterator(x, y, a):
    weights = iter([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0])
    return sum(v * next(weights) for v in x) * a


def another_sum(x, y, a):
    def sum(items):
        return next(iter(items)) * a

    return sum(v * v for v in x)


def written_into(x, y, a):
    h = np.zeros(len(x))

    def put(i):
        h[i] = x[i] * a
        return h[i] * 2.0

    return sum(put(i) for i in range(len(x))) + np.sum(h)


def a_state_that_changes(x, y, a):
    seen = []

    def count(v):
        seen.append(v)
        return v * len(seen)

    return sum(count(v) for v in x) * a


def matrices(x, y, a):
    total = sum(np.array([[v, a], [a, v * v]]) for v in x)
    return total[0, 1] + total[1, 1]


OTHERS = (with_a_condition, of_floats, of_integers, seen_as_a_list, lists_in_a_list)
OTHERS = (*OTHERS, the_name_outside, walrus, an_iterator, another_sum, written_into)
OTHERS = (*OTHERS, a_state_that_changes, matrices, stacked)


@pytest.mark.parametrize("function", [*OPEN, *OTHERS])
def test_a_traced_function_is_the_untraced_one_at_every_length(function):
    check_at_every_length(function)


@pytest.mark.parametrize("function", OPEN)
def test_one_trace_is_for_all_lengths(function):
    gradient = srcgrad.value_and_grad(function, argnums=(0, 2))
    for n in (5, 6, 7, 8, 2, 9, 30):
        gradient(*arguments(n))
    assert gradient.stats.traces == 1
    assert gradient.stats.misses == 0


def test_of_any_count():
    def sines(x, n):
        return sum(np.sin(x * (k + 1)) / (k + 1) for k in range(n))

    gradient = srcgrad.value_and_grad(sines)
    for n in (5, 7, 4, 9, 3, 30, 0, 1):
        found = gradient(0.3, n) if n else None
        with srcgrad.set_stance("tape"):
            expected = gradient(0.3, n) if n else None
        if n:
            np.testing.assert_allclose(found, expected, 1e-12)
    assert gradient.stats.traces == 1
