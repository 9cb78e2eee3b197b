"""Sums of scattered cotangents."""

import operator
from dataclasses import replace

import numpy as np
import pytest

import srcgrad
from srcgrad.graph import Graph, evaluate
from srcgrad.steps import Node, Value
from srcgrad.transforms.algebra.scatters import add_scattered, are_apart
from srcgrad.updates import add_at, assign, scatter
from tests.transforms.interpret import record, run, text


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


INDICES = [
    *(0, -1, np.int64(2), np.s_[:], np.s_[1:3], np.s_[3:], np.s_[::-2], np.s_[5:9]),
    *(np.s_[0, 1:], np.s_[-1, :2], np.s_[1:, 2], np.s_[..., 0], np.s_[None, 1]),
    *(np.s_[2:2], True, np.array([0, 3]), np.s_[:2, np.array([0, 1])]),
]


@pytest.mark.parametrize("index", INDICES, ids=repr)
def test_what_is_apart_selects_different_elements(index):
    for other in INDICES:
        counts = np.zeros((4, 3), int)
        counts[index] += 1
        counts[other] += 1
        assert counts.max(initial=0) < 2 or not are_apart(index, other, (4, 3))
    assert are_apart(0, np.s_[1:3], (4, 3))
    assert are_apart(np.s_[:, 0], np.s_[2:, -1], (4, 3))


def test_parts_of_zeros_are_put_down():
    def taken_apart(z):
        a, b, c = z[:2], z[2:4], z[4:6]  # not all of it
        return np.sum(a * b * np.tanh(c)) + a[0] * a[1]

    ours = srcgrad.grad(srcgrad.trace(taken_apart))
    z = np.array([0.5, -1.0, 2.0, 3.0, 0.1, 0.2, 0.3])
    for _ in range(2):
        np.testing.assert_allclose(ours(z), srcgrad.grad(taken_apart)(z))
    assert "dz[2:4] = " in ours.source()


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


# ----- Where zero was put before -----

x, v = np.arange(1.0, 7.0).reshape(2, 3), np.array([3.0, -1.0, 2.0])


def moved(index, value, zero=0):
    """What the gradient of a change at an index looks like."""

    def function(x, v):
        return [np.exp(assign(x, index, zero) + scatter(value(x, v), index, x.shape))]

    return function


@pytest.mark.parametrize(
    ("index", "value", "lines"),
    [
        (0, lambda x, v: x[0] * v, ["getitem(x, 0)", "multiply(t, y)"]),
        ((1, slice(2)), lambda x, v: v[:2], ["getitem(y, slice(None, 2, None))"]),
    ],
)
def test_what_is_added_to_zero_is_assigned(index, value, lines):
    graph = record(moved(index, value), [x, v])
    changed = add_scattered(graph)
    seen = [line.partition(" = ")[2] for line in text(changed)[:-1]]
    assert seen[: len(lines)] == lines
    assert [node.function for node in changed.nodes[len(lines) :]] == [assign, np.exp]
    np.testing.assert_array_equal(run(changed, [x, v])[0], run(graph, [x, v])[0])


def test_what_is_there_already_is_not_put_there_again():
    graph = record(moved(1, lambda x, v: x[1]), [x, v])
    changed = add_scattered(graph)
    assert [node.function for node in changed.nodes] == [operator.getitem, np.exp]
    np.testing.assert_array_equal(run(changed, [x, v])[0], run(graph, [x, v])[0])


def test_an_output_stays_an_array_of_its_own():
    function = moved(1, lambda x, v: x[1])
    graph = record(lambda x, v: [np.log(function(x, v)[0])], [x, v])
    out = graph.nodes[-2].args[0]
    changed = add_scattered(replace(graph, nodes=graph.nodes[:-2], outputs=(out,)))
    assert [node.function for node in changed.nodes] == [operator.getitem, assign]


@pytest.mark.parametrize(
    "function",
    [
        moved(0, lambda x, v: v, zero=1.0),
        moved(0, lambda x, v: v, zero=x[0]),
        lambda x, v: [assign(x, 0, 0) + scatter(v, 1, x.shape)],
        lambda x, v: [(y := assign(x, 0, 0)) + scatter(v, 0, x.shape), y],
        lambda x, v: [x[0] + scatter(v, slice(None), (3,))],
    ],
)
def test_other_sums_only_add(function):
    graph = record(function, [x, v])
    changed = add_scattered(graph)
    assert add_at in [node.function for node in changed.nodes]
    np.testing.assert_array_equal(run(changed, [x, v])[0][0], run(graph, [x, v])[0][0])


def test_indices_that_repeat_are_added_up():
    graph = record(moved([0, 0], lambda x, v: v), [x, v])
    changed = add_scattered(graph)
    assert [node.function for node in changed.nodes] == [assign, add_at, np.exp]


def test_sums_that_decide_stay():
    function = moved(0, lambda x, v: v)
    graph = record(lambda x, v: [np.sign(function(x, v)[0])], [x, v])
    assert add_scattered(graph) is graph


def test_a_sum_that_is_a_scalar_stays():
    zero = np.array(2.0)
    graph = record(lambda x: [np.exp(x + scatter(x, (), ()))], [zero])
    assert add_scattered(graph) is graph
