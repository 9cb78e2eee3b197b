"""Arguments of any length: what a trace is for, and what closes them at last."""

import numpy as np

import srcgrad


def weighted(x, w, W):
    s = 0.0
    for i in range(len(x)):
        s = s + x[i] * w[0]
    return s * np.median(W)


def calls(traced, lengths, size):
    for n in lengths:
        x = srcgrad.Variable(np.arange(float(n)), requires_grad=True)
        traced(x, np.ones(n), np.ones(size)).backward()
        assert x.grad.shape == (n,)


def test_what_is_used_as_a_whole_is_as_long_as_it_was():
    traced = srcgrad.trace(weighted)
    calls(traced, (5, 6, 7, 8, 9), 11)
    assert traced.stats.traces == 3
    assert "guard: `len(W)` was 11" in traced.explain()
    assert "is for any `len(x)`" in traced.explain()


def test_an_array_that_happens_to_be_as_long_is_no_reason_to_guess():
    traced = srcgrad.trace(weighted)
    calls(traced, (5, 6, 7, 8, 9), (7, 2))
    # At 7 it is for this length, at 8 for all but such.
    assert traced.stats.traces == 4
    calls(traced, (7, 10), (7, 2))
    assert traced.stats.traces == 4


def test_a_gradient_that_is_not_there_is_made_of_the_length():
    def first(x, y):
        s = 0.0
        for v in x:
            s = s + v * v
        return s

    gradient = srcgrad.grad(srcgrad.trace(first), argnums=(0, 1))
    for n in (5, 6, 7, 8, 9):
        found = gradient(np.ones(n), np.ones(n))
        assert [g.shape for g in found] == [(n,), (n,)]
