"""Dead code elimination."""

import numpy as np

from srcgrad.graph import Graph
from srcgrad.steps import Guard, Node
from srcgrad.transforms.algebra.dce import eliminate_dead_code
from tests.transforms.interpret import record, run, text, value_of

x = np.array([1.0, -2.0])


def test_what_no_result_needs_goes():
    graph = record(lambda x: (np.exp(x), np.tanh(x))[1:], [x])
    assert text(eliminate_dead_code(graph)) == ["t = tanh(x)", "return t"]


def test_gradients_are_results():
    graph = record(lambda x, g: ([np.sin(x)], [g * np.cos(x)]), [x], [x])
    assert eliminate_dead_code(graph) is graph


def test_guards_stay_and_what_they_need():
    graph = record(lambda x: (np.sum(x), np.tanh(x))[1:], [x])
    guard = Guard(graph.nodes[0].out, float, -1.0)
    graph = Graph(graph.inputs, (*graph.nodes, guard), graph.outputs)
    assert eliminate_dead_code(graph) is graph


def test_random_draws_stay():
    draw = np.random.default_rng(0).normal
    out = value_of(draw())
    graph = record(lambda x: [np.tanh(x)], [x])
    graph = Graph(graph.inputs, (Node(draw, (), out=out), *graph.nodes), graph.outputs)
    assert eliminate_dead_code(graph) is graph


def test_one_of_several_results_keeps_the_call():
    graph = record(lambda x: [np.split(x, 2)[1]], [x])
    assert eliminate_dead_code(graph) is graph


def test_constants_that_nobody_reads_go():
    graph = record(lambda x, c, d: (x * c, x + d)[1:], [x], constants=[x, x + 1.0])
    kept = eliminate_dead_code(graph)
    assert text(kept) == ["t = add(x, d)", "return t"]
    assert [value.name for value in kept.constants] == ["d"]
    np.testing.assert_array_equal(run(kept, [x])[0][0], [3.0, -3.0])
