"""Dispatch within calls: recursion, and traced functions in traced functions."""

import numpy as np

import srcgrad
from tests.tracing.comparing import X, same_through
from tests.tracing.nested import outer, slope, traced_recursion


def factorial(x, n):
    return x if n == 0 else x * factorial(x, n - 1)


def test_recursion_is_compiled():
    same_through(factorial, *[lambda n=n: (X, n) for n in (3, 3, 2, 3)], compiled=2)


def test_traced_functions_call_traced_functions():
    expected = lambda x: np.sum(np.sin(np.sin(x) * x) * np.sin(x) * x)  # noqa: E731
    for k in (1.0, 1.0, 2.0, 2.0):
        np.testing.assert_allclose(outer(X * k), expected(X * k))
    assert outer.stats.compiled >= 3
    for _ in range(3):
        np.testing.assert_allclose(traced_recursion(X, 2), np.cos(np.cos(X)))


def test_traced_functions_differentiate_traced_functions():
    untraced = lambda x: np.sum(np.sin(np.sin(x) * x) * np.sin(x) * x)  # noqa: E731
    plain_slope = lambda x: np.sum(srcgrad.grad(untraced)(x) ** 2)  # noqa: E731
    for k in (1.0, 1.0, 1.5):
        np.testing.assert_allclose(slope(X * k), plain_slope(X * k))
        np.testing.assert_allclose(
            srcgrad.grad(slope)(X * k), srcgrad.grad(plain_slope)(X * k)
        )
    assert slope.stats.compiled >= 2
