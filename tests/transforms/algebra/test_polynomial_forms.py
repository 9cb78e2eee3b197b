"""What is found to be zero is zero."""

import warnings

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest

from srcgrad.steps import Node
from srcgrad.transforms.algebra.polynomial_forms import Polynomials
from srcgrad.updates import cast
from tests.transforms.interpret import record, run

rng = np.random.default_rng(0)
X, Y, S = rng.uniform(0.5, 2.0, (2, 3)), rng.uniform(0.5, 2.0, 3), np.float64(1.7)


def is_zero(function, inputs=(X, Y, S)):
    """Whether a difference is found to be zero; it is near zero then."""
    graph = record(lambda *given: [function(*given)], list(inputs))
    makers = {node.out: node for node in graph.nodes if isinstance(node, Node)}
    (out,) = graph.outputs
    found = Polynomials(makers.get).are_zero([out], out.shape)
    if found:
        ((result,), _) = run(graph, inputs)
        np.testing.assert_allclose(result, np.zeros_like(result), atol=1e-9)
    return found


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y, s: x - x,
        lambda x, y, s: x * y - y * x,
        lambda x, y, s: (x + y) * (x - y) - x * x + y * y,
        lambda x, y, s: 0.25 * x + x * 0.75 - x,
        lambda x, y, s: x / s * s - +x,
        lambda x, y, s: s - np.sum(s / np.sum(x) * x * 1.0),
        lambda x, y, s: np.sum(x * y, axis=1) - np.sum(y * x, axis=-1),
        lambda x, y, s: np.sum(np.broadcast_to(s, (2, 3))) - 6.0 * s,
        lambda x, y, s: (
            np.sum(x, axis=-1) - np.reshape(np.sum(x, axis=1, keepdims=True), 2)
        ),
        lambda x, y, s: np.expand_dims(y, 0)[0] - y[None, :][..., 0, :],
        lambda x, y, s: x[..., None] * 2.0 - x[:, :, None] - x[..., None],
        lambda x, y, s: cast(x, np.dtype(np.longdouble)) - x,
        lambda x, y, s: np.sum(x - np.sum(x, axis=0) / 2.0, axis=0),
    ],
)
def test_what_cancels(function):
    assert is_zero(function)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y, s: x - y,
        lambda x, y, s: x - 0.9999999 * x,
        lambda x, y, s: np.exp(x) - np.exp(-x),
        lambda x, y, s: np.sum(x, axis=0) - np.sum(x),
        lambda x, y, s: np.sum(x * y, axis=0) - np.sum(x, axis=0) * np.sum(y),
        lambda x, y, s: x / (x + y) * x - x / (x + y) * y,
        lambda x, y, s: np.sum(x, axis=1, dtype=np.float32) - np.sum(x, axis=1),
        lambda x, y, s: np.sum(x, initial=1.0) - np.sum(x),
        lambda x, y, s: np.multiply(x, y, dtype=np.float32) - x * y,
        lambda x, y, s: x * np.inf - x * np.inf,
        lambda x, y, s: x[0] - x[1],
        lambda x, y, s: x.T - np.reshape(x, (3, 2)),
        lambda x, y, s: x / 0.0 - x,
    ],
)
def test_what_does_not_or_may_not(function):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert not is_zero(function)


def test_long_calculations_are_given_up():
    def power(x, y, s):
        total = x + y + 1.0
        for _ in range(12):
            total = total * (x + y + s)
        return total - total

    def deep(x, y, s):
        total = x
        for _ in range(3000):
            total = total + y
        return total - total

    assert not is_zero(power)
    assert is_zero(deep)  # of something deep nothing has to be known


STEPS = [
    lambda x, y: x + y,
    lambda x, y: x - y,
    lambda x, y: x * y,
    lambda x, y: x / y,
    lambda x, y: -x,
    lambda x, y: x * 3.0,
    lambda x, y: np.sum(x),
    lambda x, y: np.sum(x, axis=0) if x.ndim else x,
    lambda x, y: np.sum(x, axis=-1, keepdims=True) if x.ndim else x,
    lambda x, y: np.sum(x * y, axis=-1, keepdims=True) if x.ndim else x,
    lambda x, y: np.broadcast_to(x, (2, 3)),
    lambda x, y: np.expand_dims(x, 0),
    lambda x, y: np.reshape(x, x.shape[::-1]),
    lambda x, y: np.exp(-x),
]


@hypothesis.given(st.lists(st.integers(0, 2**32 - 1), min_size=3, max_size=14))
def test_random_differences(seeds):
    def function(x, y, s):
        pool = [x, y, s]
        for seed in seeds:
            random = np.random.default_rng(seed)
            a, b = (pool[random.integers(len(pool))] for _ in range(2))
            try:
                made = STEPS[random.integers(len(STEPS))](a, b)
                made - pool[-1]
            except ValueError:
                continue  # shapes that do not fit
            if made.size < 100:
                pool.append(made)
        return pool[-1] - pool[-2]

    with np.errstate(all="ignore"):
        graph = record(lambda *given: [function(*given)], [X, Y, S])
        ((result,), _) = run(graph, [X, Y, S])
        hypothesis.assume(np.all(np.abs(result) < 1e6))
        is_zero(function)
