"""The same done with parts of one array."""

import numpy as np
import pytest

import srcgrad
from srcgrad.transforms.loops.lanes import join_lanes
from tests.transforms.interpret import record, run

x, y = np.arange(1.0, 13.0).reshape(2, 6), np.float64(0.5)


def gates(x, y):
    i, f, o = (y * np.tanh(y * x[:, k : k + 2]) + 0.5 for k in (0, 2, 4))
    return [i @ f.T, np.exp(o)]


def of_two_arrays(x, y):
    z = x * y
    a, b = (np.tanh(x[:, k : k + 3] + z[:, k : k + 3]) for k in (0, 3))
    return [a @ b.T]


@pytest.mark.parametrize(
    ("function", "count"),
    [
        (gates, 1),
        (of_two_arrays, 1),
        # Along another axis; a part of it all, in another order.
        (lambda x, y: [np.tanh(x[1:]) @ np.tanh(x[:1]).T], 1),
        (lambda x, y: [np.tanh(x[:, 3:5]) @ np.tanh(x[:, 1:3]).T], 1),
        # Two that lie apart, on each other, at steps; with other numbers.
        (lambda x, y: [np.tanh(x[:, :2]) @ np.tanh(x[:, 3:5]).T], 2),
        (lambda x, y: [np.tanh(x[:, :3]) @ np.tanh(x[:, 2:5]).T], 2),
        (lambda x, y: [np.tanh(x[:, ::2]) @ np.tanh(x[:, 1::2]).T], 2),
        (lambda x, y: [np.tanh(x[:, :3] * 2.0) @ np.tanh(x[:, 3:] * 3.0).T], 2),
        # What is seen from outside, and what decides.
        (lambda x, y: [np.tanh(x[:, :3]), np.tanh(x[:, 3:])], 2),
        (lambda x, y: [np.floor(np.tanh(x[:, :3])) @ np.tanh(x[:, 3:]).T], 2),
    ],
)
def test_what_is_done_with_parts_side_by_side_is_done_at_once(function, count):
    graph = record(function, [x, y])
    changed = join_lanes(graph)
    changed.lint()
    assert [node.function for node in changed.nodes].count(np.tanh) == count
    seen, expected = (run(each, [x, y])[0] for each in (changed, graph))
    for a, b in zip(seen, expected, strict=True):
        np.testing.assert_array_equal(a, b)


def step(z, c):
    z = z * 2.0
    i, f, g = (1.0 / (1.0 + np.exp(-z[k : k + 2])) for k in (0, 2, 4))
    return np.sum(f * c + i * g)


def test_gradients_are_those_of_the_parts():
    args = np.linspace(-1.0, 1.0, 6), np.ones(2)
    gradient = srcgrad.grad(step)
    expected = gradient.untraced(args, {})
    for _ in range(3):
        np.testing.assert_allclose(gradient(*args), expected, rtol=1e-14)
    assert gradient.source().count("= np.exp(") == 1
