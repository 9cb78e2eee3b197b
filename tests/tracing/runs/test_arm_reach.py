"""After which arms an argument has a gradient, against all ways through the graph."""

import itertools
import random
from dataclasses import replace

import numpy as np
import pytest

from srcgrad.branches import Branch
from srcgrad.graph import Graph
from srcgrad.steps import Node, Value
from srcgrad.tracing.runs.arm_reach import (
    MOST_TESTS,
    asked_in,
    does_flow,
    flows_to,
    with_places,
)


def number(name):
    return Value((), np.dtype(float), name, "scalar")


def drawn(random, count):
    """A chain of branches, each of which gives one of what there is, or a product."""
    inputs = [number(f"x{i}") for i in range(3)]
    tests = [Value((), np.dtype(bool), f"t{i}", "scalar") for i in range(2)]
    values, nodes = [*inputs], []
    for step in range(count):
        read = random.sample(values, 2)
        arms = []
        for _ in range(2):
            own = [replace(value) for value in read]
            out = number(f"a{step}")
            args = random.choice([(own[0], own[1]), (own[0], own[0]), (2.0, 1.0)])
            arms.append(Graph(tuple(own), (Node(np.multiply, args, out=out),), (out,)))
        result = number(f"r{step}")
        nodes.append(Node(Branch(*arms), (random.choice(tests), *read), out=(result,)))
        values.append(result)
    return Graph((*inputs, *tests), tuple(nodes), (values[-1],)), inputs, tests


def reached(graph, root, chosen):
    """What is reached by the arms that run."""
    found = {root}
    for node in reversed(graph.nodes):
        if node.results[0] in found:
            arm = node.function.arm(chosen[node.args[0]])
            inside = {v for step in arm.nodes for v in step.inputs}
            pairs = zip(arm.inputs, node.args[1:], strict=True)
            found |= {arg for own, arg in pairs if own in inside}
    return found


@pytest.mark.seeds(20)
def test_flows_are_those_of_the_arms_that_run(seed):
    graph, inputs, tests = drawn(random.Random(seed), 6)
    (root,) = graph.outputs
    places = {test: place for place, test in enumerate(tests)}
    found = flows_to(graph, root, inputs)
    for saved in itertools.product((True, False), repeat=2):
        expected = reached(graph, root, dict(zip(tests, saved, strict=True)))
        for value in inputs:
            flow = with_places(found[value], places)
            assert does_flow(flow, saved) is (value in expected)


def test_of_a_test_that_is_not_saved_nobody_knows():
    graph, inputs, _ = drawn(random.Random(1), 6)
    flows = flows_to(graph, graph.outputs[0], inputs).values()
    assert any(isinstance(flow, tuple) for flow in flows)
    assert not any(isinstance(with_places(flow, {}), tuple) for flow in flows)


def test_of_many_tests_some_are_not_known():
    x, y = number("x"), number("y")
    nodes, tests = [], []
    for _ in range(MOST_TESTS + 2):
        arms = []
        for is_read in (True, False):
            own, before, z = replace(x), replace(y), number("z")
            args = (before, own if is_read else 2.0)
            arms.append(Graph((own, before), (Node(np.multiply, args, out=z),), (z,)))
        tests.append(Value((), np.dtype(bool), "t", "scalar"))
        before = nodes[-1].results[0] if nodes else y
        node = Node(Branch(*arms), (tests[-1], x, before), out=(number("r"),))
        nodes.append(node)
    graph = Graph((x, y, *tests), tuple(nodes), nodes[-1].results)
    flow = flows_to(graph, graph.outputs[0], [x])[x]
    assert len({*asked_in(flow)}) == MOST_TESTS
    places = {test: place for place, test in enumerate(tests)}
    assert does_flow(with_places(flow, places), [False] * len(tests)) is None
    assert does_flow(with_places(flow, places), [True] * len(tests)) is True
