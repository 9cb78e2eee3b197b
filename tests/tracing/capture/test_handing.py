"""Transforms, and traced functions, that hold more than a function of the user's."""

import functools

import numpy as np
import pytest

import srcgrad

X = np.array([1.0, 2.0])


def scaled(w, x):
    return np.sum(w * x * x)


class Model:
    def __init__(self, w):
        self.w = w

    def loss(self, x):
        return scaled(self.w, x)

    __call__ = loss


W = np.array([1.0, 1.0])
HOLDERS = {
    "a method": Model(W).loss,
    "an object": Model(W),
    "a partial": functools.partial(scaled, W),
}


@pytest.mark.parametrize("kind", HOLDERS)
@pytest.mark.parametrize("made", [srcgrad.trace, srcgrad.grad, srcgrad.value_and_grad])
def test_what_it_holds_is_read_at_each_call(kind, made):
    held = made(HOLDERS[kind])

    @srcgrad.trace
    def f(x):
        result = held(x)
        return np.sum(result[1] if isinstance(result, tuple) else result)

    for factor in (1.0, 2.0, 3.0, 4.0):
        W[:] = factor
        is_value = made is srcgrad.trace
        expected = factor * np.sum(X * X if is_value else 2.0 * X)
        np.testing.assert_allclose(f(X), expected)
        slope = 2.0 * factor * X if is_value else 2.0 * factor
        np.testing.assert_allclose(srcgrad.grad(f)(X), slope * np.ones(2))
