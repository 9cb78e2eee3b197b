"""Common subexpressions."""

import numpy as np

from srcgrad.graph import Graph
from srcgrad.steps import Node
from srcgrad.transforms.algebra.cse import share_common_subexpressions
from tests.transforms.interpret import record, text, value_of

x, y = np.array([1.0, -2.0]), np.array([0.5, 4.0])


def test_random_draws_are_not_merged():
    draw = np.random.default_rng(0).normal
    a, b = value_of(draw(size=2)), value_of(draw(size=2))
    graph = record(lambda a, b: [a + b], [x, x])
    nodes = Node(draw, (), {"size": 2}, a), Node(draw, (), {"size": 2}, b)
    total = Node(np.add, (a, b), {}, graph.outputs[0])
    graph = Graph((), (*nodes, total), graph.outputs)
    assert share_common_subexpressions(graph) is graph


def test_the_name_of_what_goes_is_kept():
    graph = record(lambda x: [np.exp(x) * np.exp(x)], [x])
    first, second, product = graph.nodes
    named = value_of(x, "h")
    second = Node(second.function, second.args, {}, named)
    product = Node(product.function, (first.out, named), {}, product.out)
    graph = Graph(graph.inputs, (first, second, product), graph.outputs)
    assert text(share_common_subexpressions(graph))[0] == "h = exp(x)"
