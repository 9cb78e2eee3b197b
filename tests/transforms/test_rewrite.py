"""The loop of a peephole pass: what it replaces, and what it leaves alone."""

from operator import neg

import numpy as np

from srcgrad.graph import Graph, Node
from srcgrad.transforms.algebra import simplify_algebra
from tests.transforms.interpret import record, text, value_of

rng = np.random.default_rng(0)
x = rng.normal(size=(2, 3))


def test_outputs_are_no_inputs():
    graph = record(lambda x: [x * 1.0, neg(neg(x))], [x])
    assert simplify_algebra(graph) is graph


def test_names_are_kept():
    graph = record(lambda x: [np.exp(np.tanh(x) * 1.0)], [x])
    tanh, unit, exp = graph.nodes
    h = value_of(x, "h")
    unit = Node(unit.function, unit.args, {}, h)
    exp = Node(exp.function, (h,), {}, exp.out)
    graph = Graph(graph.inputs, (tanh, unit, exp), graph.outputs)
    assert text(simplify_algebra(graph)) == ["h = tanh(x)", "t = exp(h)", "return t"]
