"""A trace that does not fit leaves no mark, and the one that does is tried first."""

import numpy as np

import srcgrad
from srcgrad import Variable


def noisy(x):
    noise = np.random.normal(size=3)
    if noise[0] > 0:  # an arm with a loop is no branch
        for _ in range(2):
            x = x * noise
    else:
        x = x - noise
    return np.sum(x)


def two_traces(x):
    if x[0] > 0:
        for _ in range(2):
            x = x * 2
    else:
        x = x - 1
    return x


def test_random_draws_are_put_back_by_a_miss():
    traced = srcgrad.trace(noisy)
    x = Variable(np.arange(1.0, 4.0))
    for seed in range(8):
        np.random.seed(seed)
        expected = noisy(x.data)
        np.random.seed(seed)
        assert traced(x).data == expected
    assert traced.stats.traces == 2
    assert traced.stats.compiled > 0


def test_the_trace_that_fits_comes_first():
    traced = srcgrad.trace(two_traces)
    for sign in (1.0, -1.0, 1.0):
        traced(np.array([sign]))
    (entry,) = traced._cache.entries()
    first = entry.traces[0]
    traced(np.array([-1.0]))
    assert entry.traces[1] is first
