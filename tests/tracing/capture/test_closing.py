"""What a run has changed outside, when it is over."""

from types import SimpleNamespace

import numpy as np

import srcgrad
from tests.tracing.comparing import X


def test_what_is_changed_may_become_another_object():
    def counts(first, second, x):
        first.n = np.sum(x)
        second.n = first.n + second.n
        return second.n * x[0]

    traced = srcgrad.trace(counts)

    def pair(is_one):
        first = SimpleNamespace(n=1.0)
        return first, first if is_one else SimpleNamespace(n=2.0)

    for is_one in (False, False, True, True, False, True):
        ours, theirs = pair(is_one), pair(is_one)
        assert traced(*ours, X) == counts(*theirs, X)
        assert ours == theirs
    assert traced.stats.compiled >= 3, traced.explain()


def test_what_is_written_into_shares_no_memory_with_what_is_read():
    def fill(out, x):
        out[:] = x * 2.0
        return np.sum(x)

    traced = srcgrad.trace(fill)
    for _ in range(3):
        out = np.zeros(3)
        assert traced(out, X) == 6.0
        np.testing.assert_equal(out, X * 2.0)
    whole, other = np.arange(4.0), np.arange(4.0)
    assert traced(whole[1:], whole[:3]) == fill(other[1:], other[:3])
    np.testing.assert_equal(whole, other)
