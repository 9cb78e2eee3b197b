"""What is drawn or looked up anew at each call; see also the environment."""

import functools

import numpy as np

import srcgrad
from tests.tracing.comparing import X


def test_a_function_that_remembers_is_asked_at_each_call():
    calls, scale = [], [2.0]

    @functools.lru_cache(maxsize=2)
    def table(n):
        calls.append(n)
        return np.arange(n) * scale[0], n

    def weighted(x):
        values, n = table(3)
        return np.sum(x * values) * n + table(n - 1)[0][1]

    traced = srcgrad.trace(weighted)
    for change in (None, None, "scale", "clear", None, "evict"):
        if change == "scale":
            scale[0] = 5.0  # which it does not know
        elif change == "clear":
            table.cache_clear()
        elif change == "evict":
            scale[0] = 7.0
            table(8), table(9)
        found = traced(X)
        assert found == weighted(X)
    assert calls == [3, 2, 3, 2, 8, 9, 3, 2]
    assert traced.stats.compiled == 5, traced.explain()


def test_numbers_are_drawn_anew_and_items_taken():
    def noisy(x, rng, items):
        return np.sum(x * rng.normal(size=3)) * next(items)

    ours, theirs = np.random.default_rng(0), np.random.default_rng(0)
    traced, left, right = srcgrad.trace(noisy), iter(range(5)), iter(range(5))
    for _ in range(4):
        assert traced(X, ours, left) == noisy(X, theirs, right)
    assert ours.normal() == theirs.normal()
