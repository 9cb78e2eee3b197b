"""Sums of scattered cotangents."""

import numpy as np
import pytest

import srcgrad
from srcgrad.graph import Graph, Node, Value, evaluate
from srcgrad.transforms.scatters import add_scattered
from srcgrad.updates import add_at, scatter


def array(name, *shape, dtype=float):
    return Value(shape, np.dtype(dtype), name)


def two_scatters(**kwargs):
    g, h, a, b, dx = (
        array(n, k) for n, k in zip("ghabd", (2, 2, 3, 3, 3), strict=True)
    )
    nodes = (
        Node(scatter, (g, slice(None, -1), (3,)), out=a),
        Node(scatter, (h, np.array([0, 0]), (3,)), out=b),
        Node(np.add, (a, b), out=dx),
    )
    return Graph((g, h), nodes, (dx,))


def test_the_second_is_added_into_the_first():
    graph = two_scatters()
    changed = add_scattered(graph)
    changed.lint()
    assert [node.function for node in changed.nodes] == [scatter, add_at]
    values = np.array([1.0, 2.0]), np.array([4.0, 8.0])
    np.testing.assert_array_equal(
        evaluate(changed, values)[0], evaluate(graph, values)[0]
    )


def test_what_is_used_twice_stays():
    graph = two_scatters()
    both = Graph(graph.inputs, graph.nodes, (*graph.outputs, graph.nodes[1].out))
    assert [n.function for n in add_scattered(both).nodes][:2] == [scatter, add_at]
    first, second = graph.nodes[:2]
    total = Node(np.add, (second.out, second.out), out=array("t", 3))
    twice = Graph(graph.inputs, (first, second, total), (first.out, total.out))
    assert add_scattered(twice) is twice


def test_another_shape_or_dtype_stays():
    g, x = array("g", 2), array("x", 4, 3)
    a, out = array("a", 3), array("o", 4, 3)
    nodes = (
        Node(scatter, (g, slice(None, -1), (3,)), out=a),
        Node(np.add, (x, a), out=out),
    )
    graph = Graph((g, x), nodes, (out,))
    assert add_scattered(graph) is graph


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sum((x[1:] - x[:-1] ** 2) ** 2 + x[:-1]),
        lambda x: np.sum(x * x[::-1]) + x[0] * x[-1],
        lambda x: np.sum(x[np.array([0, 0, 1])] * x[:3]) + np.sum(np.exp(x)),
    ],
    ids=["differences", "reversed", "repeats"],
)
def test_gradients_are_added_in_place(function):
    traced = srcgrad.trace(function)
    x = np.array([0.5, -1.0, 2.0, 3.0])
    expected = srcgrad.grad(function)(x)
    for _ in range(2):
        np.testing.assert_allclose(srcgrad.grad(traced)(x), expected)
    assert traced.stats.compiled == 1
    assert "+=" in traced.source() or "add.at" in traced.source()
