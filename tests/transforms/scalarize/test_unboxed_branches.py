"""Branches on Python's floats."""

import numpy as np
import pytest

import srcgrad


def huber(x, d):
    total = 0.0
    for i in range(len(x)):
        r = abs(x[i])
        if r <= d:  # noqa: SIM108
            total = total + 0.5 * r * r
        else:
            total = total + d * (r - 0.5 * d)
    return total


def carried(x, d):
    """What is carried goes through one arm alone."""
    state, error = d * 1.0, d * 0.5
    for i in range(len(x)):
        v = x[i] * 1.5
        if state > v:
            state = state - 0.5 * v
        else:
            error = error + v * d / state
            state = -1.0 * state
    return state * 2.0 + error


def lost(x, d):
    """What overflows in an arm is not seen in what it gives."""
    total = d * 1.0
    for i in range(len(x)):
        v = x[i] * 1.0
        if v >= 0.0:
            total = total + 1.0 / (1.0 + v * v)
        else:
            total = total - np.maximum(v * d, -2.0)
    return total


def decided_inside(x, d):
    a, b = x[2] * x[0], x[0] * d
    y = b - x[1]
    if y >= 0.0:
        y = y * y * b
        if y > d:
            y = -1.0 * y
    else:
        y = y / a
    return y * x[3]


X = np.array([0.5, -1.5, 2.0, -0.2, 3.0, -4.0, 0.1, 1.0])


@pytest.mark.parametrize("x", [X, X * 1e200, np.where(X < 0.0, np.nan, X)])
@pytest.mark.parametrize("function", [huber, carried, decided_inside])
def test_halves_hand_over_what_was_decided(function, x):
    """Where one half is left to NumPy, and the other is not, too."""
    traced = srcgrad.trace(function)
    found = []
    for stance, arg in [("default", X), ("tape", x), ("default", x)]:
        variable = srcgrad.Variable(arg, requires_grad=True)
        with srcgrad.set_stance(stance), np.errstate(all="ignore"):
            loss = traced(variable, 1.0)
            loss.backward()
        found.append((loss.data, variable.grad.data))
    assert "def backward_on_floats" in traced.source()
    for ours, theirs in zip(*found[1:], strict=True):
        np.testing.assert_allclose(ours, theirs, 1e-12)


def test_what_overflows_in_an_arm_is_numpys_to_tell():
    ours = srcgrad.value_and_grad(srcgrad.trace(lost))
    ours(X, 1.0)
    assert "forward_on_floats" in srcgrad.source(ours)
    for x in (np.where(X > 2.0, 1e200, X), np.where(X < -3.0, -1e308, X)):
        with np.errstate(all="raise"), pytest.raises(FloatingPointError):
            ours(x, 1e10)
