"""Conditional expressions and combined tests are branches, and ask what Python asks."""

import numpy as np
import pytest

import srcgrad

X = np.array([0.5, -1.5, 2.0, -0.2, 3.0, -4.0, 0.1, 1.0, np.nan, 0.3, 1.2, -0.7])


def conditional(v):
    return v * v if v > 0.0 else 2.0 * v


def both(v):
    return v * v if v > 0.0 and v < 1.0 else 2.0 * v


def either(v):
    return v * v if v < 0.0 or v > 1.0 else 2.0 * v


def chained(v):
    return v * v if -1.0 < 2.0 * v <= 1.0 < 5.0 + v else 2.0 * v


def negated(v):
    return v * v if not (v > 0.0 or not v < -1.0) else 2.0 * v


def guarded(v):
    """The second test would warn where the first is false."""
    return v * v if v > 0.0 and np.sqrt(v) < 1.0 else 2.0 * v


def extremes(v):
    """Of two that are equal Python gives the first one; a nan is no more than any."""
    return v * max(v, 0.0) + min(1.0, v, 0.5 * v) + min(0.25, max(-0.25, v))


OF_ONE = [conditional, both, either, chained, negated, guarded, extremes]


@pytest.mark.parametrize("of_one", OF_ONE)
def test_one_trace_serves_all_ways(of_one):
    def total(x):
        found = 0.0
        for i in range(12):
            found = found + of_one(x[i])
        return found

    traced = srcgrad.trace(total)
    ours = srcgrad.value_and_grad(traced)
    for x in (X, -X, X[::-1], 0.1 * X):
        value, gradient = ours(x)
        with np.errstate(invalid="ignore"):
            v = srcgrad.Variable(x, requires_grad=True)
            out = total(v)
        out.backward()
        np.testing.assert_allclose(value, out.data)
        np.testing.assert_allclose(gradient, v.grad.data)
    assert (traced.stats.traces, traced.stats.tape) == (1, 1)
