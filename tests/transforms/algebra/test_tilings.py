"""Arrays that are filled part by part."""

import numpy as np
import pytest

import srcgrad
from srcgrad.transforms.algebra.tilings import join_tiles
from srcgrad.updates import add_at, assign, scatter
from tests.transforms.interpret import record, run

x, y = np.arange(1.0, 7.0).reshape(2, 3), np.array([[3.0], [-0.0]])


def functions_in(graph):
    return [node.function for node in graph.nodes]


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: [assign(scatter(x, np.s_[:, 1:], (2, 4)), np.s_[:, :1], y)],
        lambda x, y: [assign(scatter(y, np.s_[0:2, -1:], (2, 4)), np.s_[:2, :3], x)],
        lambda x, y: [assign(scatter(x, np.s_[:2], (4, 3)), np.s_[2:], x * 2.0)],
    ],
)
def test_parts_that_fill_an_array_are_joined(function):
    graph = record(function, [x, y])
    changed = join_tiles(graph)
    changed.lint()
    assert np.concatenate in functions_in(changed)
    assert not {assign, scatter} & set(functions_in(changed))
    np.testing.assert_array_equal(run(changed, [x, y])[0], run(graph, [x, y])[0])


@pytest.mark.parametrize(
    "function",
    [
        # A gap, what is put down twice, or is not in a row.
        lambda x, y: [assign(scatter(x, np.s_[:2], (5, 3)), np.s_[3:], x)],
        lambda x, y: [assign(scatter(x, np.s_[:2], (3, 3)), np.s_[1:], x)],
        lambda x, y: [assign(scatter(x, np.s_[::2], (4, 3)), np.s_[1::2], x)],
        # What is broadcast or converted, and what somebody sees before.
        lambda x, y: [assign(scatter(x, np.s_[:2], (4, 3)), np.s_[2:], y)],
        lambda x, y: [assign(scatter(x, np.s_[:2], (4, 3)), np.s_[2:], 1.0)],
        lambda x, y: [assign(scatter(x, np.s_[:2], (4, 3)), np.s_[2:], x > 2.0)],
        lambda x, y: [a := scatter(x, np.s_[:2], (4, 3)), assign(a, np.s_[2:], x)],
        # No zeros to begin with, and another kind of change.
        lambda x, y: [assign(assign(x, np.s_[:, 1:], 0.0), np.s_[:, :1], y)],
        lambda x, y: [add_at(scatter(x, np.s_[:2], (4, 3)), np.s_[2:], x)],
        # Rows, in a program that stacks none like them; quarters.
        lambda x, y: [assign(scatter(x, 0, (2, 2, 3)), 1, x)],
        lambda x, y: [assign(scatter(x, 0, (2, 2, 3)), 1, x), np.stack([x, x], 1)],
        lambda x, y: [assign(scatter(x, 0, (2, 2, 3)), 0, x), np.stack([x, x])],
        lambda x, y: [assign(scatter(y, np.s_[:2, :1], (4, 1)), np.s_[2:, :1], y[::2])],
    ],
)
def test_other_parts_are_put_where_they_were(function):
    graph = record(function, [x, y])
    assert join_tiles(graph) is graph


def joined(x, y):
    return np.concatenate([np.sin(x), y], axis=-1)


def stacked(x, y):
    return np.stack([np.sin(x), x * y], axis=-1)


def parted(x, y):
    first, second = np.split(x, [1], axis=1)
    return np.concatenate([np.hstack([second, first]), np.exp(y) * x])


@pytest.mark.parametrize(
    ("function", "line"),
    [
        (joined, "out_dot = np.concatenate([x_dot * np.cos(x), y_dot], axis=1)"),
        (stacked, "np.stack([x_dot * np.cos(x), y_dot * x + x_dot * y], axis=2)"),
        (parted, "hstack_dot = np.concatenate([second_dot, first_dot], axis=1)"),
    ],
)
def test_derivatives_of_what_is_joined_are_joined(function, line):
    primals, tangents = (x, y), (x + 1.0, y - 2.0)
    expected = srcgrad.jvp(function, primals, tangents)[1]
    for _ in range(2):
        found = srcgrad.jvp(function, primals, tangents)[1]
        np.testing.assert_allclose(found, expected, rtol=1e-14)
    source = srcgrad.source(function)
    assert line in source
    assert "np.zeros" not in source
