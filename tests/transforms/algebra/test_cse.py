"""Common subexpressions."""

import numpy as np
import pytest

from srcgrad.graph import Graph
from srcgrad.steps import Node
from srcgrad.transforms.algebra.cse import share_common_subexpressions
from tests.transforms.interpret import record, run, text, value_of

x, y = np.array([1.0, -2.0]), np.array([0.5, 4.0])


def shared(function, inputs=(x, y), **given):
    graph = record(function, inputs, **given)
    return graph, share_common_subexpressions(graph)


def test_equal_calls_are_one():
    graph, merged = shared(lambda x, y: [np.exp(x) * np.exp(x) + np.exp(y)])
    assert text(merged) == [
        "t = exp(x)",
        "t_1 = multiply(t, t)",
        "t_2 = exp(y)",
        "t_3 = add(t_1, t_2)",
        "return t_3",
    ]
    np.testing.assert_array_equal(run(merged, [x, y])[0], run(graph, [x, y])[0])


def test_sums_and_products_commute():
    _, merged = shared(lambda x, y: [(x + y) * (y + x) - (x * y) / (y * x)])
    assert len(merged.nodes) == 5


def test_differences_and_complex_products_do_not():
    graph, merged = shared(lambda x, y: [(x - y) * (y - x)])
    assert merged is graph
    graph, merged = shared(lambda x, y: [(x * y) - (y * x)], [x + 0j, y + 0j])
    assert merged is graph


@pytest.mark.parametrize(
    ("a", "b"),
    [(1, 1.0), (1, True), (0.0, -0.0), (np.float32(1), np.float64(1)), (2.0, 3.0)],
)
def test_literals_that_differ_are_kept_apart(a, b):
    graph, merged = shared(lambda x, y: [(x * a) - (x * b)])
    assert merged is graph


@pytest.mark.parametrize("a", [np.nan, -0.0, 1, np.float32(1), (0,), None])
def test_literals_that_are_equal_are_not(a):
    graph = record(lambda x: [np.exp(x) - np.exp(x)], [x])
    nodes = [Node(n.function, (*n.args, a), {}, n.out) for n in graph.nodes[:2]]
    graph = Graph(graph.inputs, (*nodes, graph.nodes[2]), graph.outputs)
    assert len(share_common_subexpressions(graph).nodes) == 2


def test_indices_and_keywords_count():
    def parts(x, y):
        return [x[0:1] + x[0:1] + x[1:2] + np.sum(x, axis=0) + np.sum(x, axis=0)]

    graph, merged = shared(parts)
    assert len(graph.nodes) - len(merged.nodes) == 2


def test_outputs_stay_arrays_of_their_own():
    graph, merged = shared(lambda x, y: [np.exp(x), np.exp(x), np.exp(x) * 2.0])
    assert merged is graph


def test_views_that_are_outputs_stay_too():
    graph, merged = shared(lambda x, y: [np.exp(x)[::-1], np.exp(x)[::-1]])
    assert merged is graph


def test_scalar_outputs_are_immutable_and_may_be_one():
    _, merged = shared(lambda x, y: [np.sum(x), np.sum(x)])
    assert text(merged) == ["t = sum(x)", "return t, t"]


def test_random_draws_are_not_merged():
    draw = np.random.default_rng(0).normal
    a, b = value_of(draw(size=2)), value_of(draw(size=2))
    graph = record(lambda a, b: [a + b], [x, x])
    nodes = Node(draw, (), {"size": 2}, a), Node(draw, (), {"size": 2}, b)
    total = Node(np.add, (a, b), {}, graph.outputs[0])
    graph = Graph((), (*nodes, total), graph.outputs)
    assert share_common_subexpressions(graph) is graph


def test_constants_of_equal_content_are_one():
    def function(x, y, c, d, e):
        return [c * x, d * y, e * x]

    _, merged = shared(function, constants=[x, x.copy(), x.astype(np.float32)])
    assert text(merged)[2] == "t_2 = multiply(e, x)"
    assert text(merged)[:2] == ["t = multiply(c, x)", "t_1 = multiply(c, y)"]


def test_constants_that_the_caller_gets_are_not():
    graph, merged = shared(lambda x, y, c, d: [c, d], constants=[x, x.copy()])
    assert merged is graph


def test_the_name_of_what_goes_is_kept():
    graph = record(lambda x: [np.exp(x) * np.exp(x)], [x])
    first, second, product = graph.nodes
    named = value_of(x, "h")
    second = Node(second.function, second.args, {}, named)
    product = Node(product.function, (first.out, named), {}, product.out)
    graph = Graph(graph.inputs, (first, second, product), graph.outputs)
    assert text(share_common_subexpressions(graph))[0] == "h = exp(x)"
