"""``np.vectorize`` of Variables."""

import math

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable

W = np.array([0.5, 1.5])


@np.vectorize
def bump(x, width=1.0):
    return math.exp(-1.0 / (width - x * x)) if x * x < width else 0.0


def square_and_triple(u):
    return u * u, 3.0 * u


def same(u):
    return u


def square(u):
    return u * u


def quadratic(p, t):
    return p @ p * t


def closing(x):
    def line(t):
        return t * x[0] + x[1]

    return np.vectorize(line)(W)


# Python 3.10 does not say which of several lambdas on a line one is.
PROGRAMS = {
    "a decorated function": lambda x: bump(x),
    "broadcast": lambda x: bump(x[:, None], np.array([2.0, 0.5])),
    "by keyword": lambda x: bump(x, width=x[0] + 1.0),
    "several results": lambda x: np.vectorize(square_and_triple)(x)[0],
    "closing over it": closing,
    "a method": lambda x: np.vectorize(math.sin)(x),
    "a kind": lambda x: np.vectorize(same, otypes=[np.float32])(x),
    "the first gives the kind": lambda x: np.vectorize(
        lambda u: 0 if u < 0.3 else u * u, cache=True
    )(x),
    "excluded": lambda x: np.vectorize(quadratic, excluded=[0])(x, W),
    "a signature": lambda x: np.vectorize(np.cumsum, signature="(n)->(n)")(
        np.stack([x, x * x])
    ),
    "an array of its own": lambda x: np.vectorize(square)(np.array([x[0], 2.0])),
}
X = np.array([0.25, 0.5, -0.75])


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_is_numpys_and_has_its_gradient(name):
    function = PROGRAMS[name]
    expected = function(X)
    traced = srcgrad.trace(function)
    for _ in range(2):
        result = traced(X)
        assert result.dtype == expected.dtype
        np.testing.assert_array_equal(result, expected)
    if expected.dtype.kind == "f":
        weights = np.arange(1.0, 1.0 + expected.size).reshape(expected.shape)
        step = 1e-2 if expected.dtype == np.float32 else 1e-6
        found = srcgrad.grad(lambda x: np.sum(function(x) * weights))(X)
        numeric = [
            np.sum((function(X + step * e) - function(X - step * e)) * weights)
            for e in np.eye(3)
        ]
        np.testing.assert_allclose(found, np.divide(numeric, 2 * step), rtol=1e-4)
    variable = Variable(X, requires_grad=True)
    out = srcgrad.trace(function)(variable)
    np.testing.assert_array_equal(getattr(out, "data", out), expected)


@pytest.mark.parametrize("cache", [False, True])
def test_it_calls_as_often_as_numpy(cache):
    calls = []

    def square(u):
        calls.append(type(u))
        return u * u

    vectorized = np.vectorize(square, cache=cache)
    vectorized(X)
    count = len(calls)
    srcgrad.grad(lambda x: vectorized(x).sum())(X)
    assert len(calls) == 2 * count


def test_errors_are_numpys():
    with pytest.raises(ValueError, match="size 0 inputs"):
        srcgrad.grad(lambda x: np.sum(bump(x[:0])))(X)
    pairs = np.vectorize(np.dot, signature="(n),(n)->()")
    with pytest.raises(ValueError, match="inconsistent size"):
        srcgrad.grad(lambda x: pairs(x, x[:2]))(X)
