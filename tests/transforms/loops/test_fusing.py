"""Loops that only add up on the way back run with the loop that they go back over."""

import numpy as np
import pytest

import srcgrad

X = np.linspace(-2.0, 3.0, 120).reshape(40, 3)


def squares(w, X):
    total = 0.0
    for i in range(40):
        r = X[i] @ w
        total = total + r * r
    return total


def robust(w, X):
    total = 0.0
    for i in range(40):
        r = X[i] @ w
        total = total + (r * r if abs(r) < 1.0 else 2.0 * abs(r) - 1.0)
    return total / 40


def neighbours(w, X):
    total = 0.0
    for i in range(39):
        total = total + np.sum((X[i] * w - X[i + 1]) ** 2) * w[0]
    return total


def carried(w, X):
    """The way back depends on what comes after."""
    h = w * 1.0
    for i in range(40):
        h = np.tanh(h * X[i])
    return np.sum(h)


def later(w, X):
    """The gradient of what the loop gives is not known before its end."""
    total = 0.0
    for i in range(40):
        total = total + np.exp(X[i] @ w)
    return np.log(total)


@pytest.mark.parametrize(
    ("function", "loops"),
    [(squares, 1), (robust, 1), (neighbours, 1), (carried, 2), (later, 2)],
)
def test_values_and_gradients_are_the_tapes(function, loops):
    ours = srcgrad.value_and_grad(srcgrad.trace(function), argnums=(0, 1))
    w = np.array([0.5, -0.2, 0.1])
    for point in (w, -2.0 * w, w):
        value, gradients = ours(point, X)
        expected, wanted = srcgrad.value_and_grad(function, argnums=(0, 1))(point, X)
        np.testing.assert_allclose(value, expected)
        for g, h in zip(gradients, wanted, strict=True):
            np.testing.assert_allclose(g, h, atol=1e-14)
    (source,) = srcgrad.source(ours).split("\ndef forward(")[1:]
    assert source.count("\n    for ") == loops
