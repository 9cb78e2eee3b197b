"""Dead code elimination."""

import numpy as np

from srcgrad.graph import Graph
from srcgrad.steps import Node
from srcgrad.transforms.algebra.dce import eliminate_dead_code
from tests.transforms.interpret import record, value_of

x = np.array([1.0, -2.0])


def test_random_draws_stay():
    draw = np.random.default_rng(0).normal
    out = value_of(draw())
    graph = record(lambda x: [np.tanh(x)], [x])
    graph = Graph(graph.inputs, (Node(draw, (), out=out), *graph.nodes), graph.outputs)
    assert eliminate_dead_code(graph) is graph
