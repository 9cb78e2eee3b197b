"""Comparisons of integers that change: an `if` of the graph, and one trace."""

import numpy as np

import srcgrad


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
