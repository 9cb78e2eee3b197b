"""Iterations that a graph leaves out can be put in again."""

import itertools
from dataclasses import replace

import numpy as np

from srcgrad.graph import Graph, evaluate
from srcgrad.steps import Node, Value
from srcgrad.tracing.graphs.gaps import Gap, Model, filled

F8 = np.dtype(float)


def short():
    """``p, q = p * x, q + p``, three times, and what is left out before the third."""
    x, p, q, *rest = (Value((), F8, name) for name in ("x", "p", "q", *"abcdef"))
    states = [(p, q), *zip(rest[::2], rest[1::2], strict=True)]
    nodes = []
    for (p, q), (a, b) in itertools.pairwise(states):
        nodes += [Node(np.multiply, (p, x), out=a), Node(np.add, (q, a), out=b)]
    model = Model(tuple(nodes[2:4]), ((-2, 0), (-2, -1)), states[1], ((), ()))
    graph = Graph((x, *states[0]), tuple(nodes), (*states[-1],))
    return graph, Gap(model, 3, states[3])


def test_a_gap_is_filled_with_iterations_like_those_around():
    graph, gap = short()
    whole, read = filled(graph, [gap.model.values[0]], [gap])
    whole.lint()
    assert len(whole.nodes) == 12
    assert len(read) == 4
    p, q = 1.0, 0.0
    for _ in range(6):
        p, q = p * 2.0, q + p * 2.0
    assert evaluate(whole, (2.0, 1.0, 0.0)) == [p, q]


def test_what_nobody_asks_for_stays_left_out():
    graph, gap = short()
    less = Graph(graph.inputs, graph.nodes[:4], gap.model.nodes[1].results)
    assert filled(less, (), [gap])[0].nodes == less.nodes


def test_what_is_not_asked_for_before_it_is_not_in_it():
    graph, gap = short()
    of_p = replace(graph, nodes=graph.nodes[::2], outputs=graph.nodes[-2].results)
    whole, _ = filled(of_p, (), [gap])
    whole.lint()
    assert [node.function for node in whole.nodes] == [np.multiply] * 6


def test_a_gap_is_even_if_the_model_and_the_one_before_are_alike():
    _, gap = short()
    (one, other), first = gap.model.values, gap.model.first
    assert gap.is_even({one, first[0]})
    assert not gap.is_even({one, first[1]})
    assert not gap.is_even({other})
