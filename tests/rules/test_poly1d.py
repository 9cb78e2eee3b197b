"""``np.poly1d`` of coefficients that have gradients."""

import numpy as np
import pytest

import srcgrad

X = np.array([0.5, 1.2, 2.0])


def operators(x):
    p, q = np.poly1d(x), np.poly1d([1.0, 2.0])
    total = (p + q)(0.3) + (q - p)(0.2) + (2.0 * p)(1.0) + (p**3)(0.5) + (p / 2.0)(0.1)
    return total + (q * p)(0.4) + (3 - p)(0.2) + (-p)(0.7) + (p**0)(2.0)


def parts(x):
    p = np.poly1d(x)
    return p.c[0] * p[1] * p.order + sum(p) + p[7]


def calculus(x):
    return np.poly1d(x).deriv()(0.5) * np.poly1d([x[0], x[1]]).integ(k=2.0)(x[2])


def quotient(x):
    found, rest = np.poly1d(x) / np.poly1d([1.0, 0.5])
    return found(2.0) * rest(1.0)


def of_roots(x):
    return np.poly1d([x[0], x[1]], True)(3.0) + np.poly1d(np.poly1d(x))(x[0])


def without_leading_zeros(x):
    p = np.poly1d([0.0, x[0], x[1]])
    return p(x[2]) * p.order


def of_a_fit(x):
    return np.poly1d(np.polyfit([0.0, 1.0, 2.0], x, 1))(3.0) * np.poly1d([1.0])(x[0])


@pytest.mark.parametrize(
    "function",
    [operators, parts, calculus, quotient, of_roots, without_leading_zeros, of_a_fit],
)
def test_gradients(function):
    traced, gradient = srcgrad.trace(function), srcgrad.grad(function)
    slopes = [function(X + h) - function(X - h) for h in 1e-6 * np.eye(3)]
    for _ in range(3):
        assert type(traced(X)) is type(function(X))
        np.testing.assert_allclose(traced(X), function(X), rtol=1e-14)
        np.testing.assert_allclose(gradient(X), np.divide(slopes, 2e-6), rtol=1e-5)
