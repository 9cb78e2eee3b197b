"""What the passes ask of a graph: what is needed, seen by the caller, decisive."""

import numpy as np

from srcgrad.steps import Guard, Node, Value
from srcgrad.transforms.reading import (
    arguments,
    arrays,
    decisive,
    exposed,
    forward_steps,
    nodes_needed,
)
from tests.transforms.interpret import record, value_of

x = np.arange(6.0).reshape(2, 3)


def functions(nodes):
    return [node.function for node in nodes]


def test_what_computes_a_value_is_needed_and_no_more():
    graph = record(lambda x: [np.tanh(np.exp(x)), np.sin(x)], [x])
    first, second = graph.outputs
    assert functions(nodes_needed(graph.nodes, [first])) == [np.exp, np.tanh]
    assert functions(nodes_needed(graph.nodes, [second])) == [np.sin]
    assert nodes_needed(graph.nodes, []) == []


def test_what_has_an_effect_is_needed_always():
    graph = record(lambda x: [np.sum(np.exp(x))], [x])
    guard = Guard(graph.outputs[0], float, 1.0)
    assert nodes_needed((*graph.nodes, guard), []) == [*graph.nodes, guard]
    draw = Node(np.random.normal, (), out=value_of(np.float64(0.0)))
    assert nodes_needed((draw,), []) == [draw]


def test_a_guard_on_a_cotangent_is_not_of_the_forward_graph():
    graph = record(lambda x, g: ([np.exp(x)], [g * np.exp(x)]), [x], [x])
    early, late = (
        Guard(v, np.shape, (2, 3)) for v in (graph.inputs[0], graph.cotangents[0])
    )
    graph = graph.with_nodes((*graph.nodes, early, late), {})
    assert forward_steps(graph) == [graph.nodes[0], early]


def test_arrays_are_what_has_memory():
    array, scalar = value_of(x), value_of(np.float64(1.0))
    assert arrays([array, scalar, value_of(2.0)]) == [array]


def test_the_caller_sees_outputs_and_what_they_are_views_of():
    def function(x):
        h = np.exp(x)
        return [np.transpose(h)[0], np.sum(x * 2.0)]

    graph = record(function, [x])
    exp, transposed, part, *_ = (node.out for node in graph.nodes)
    assert exposed(graph) == {exp, transposed, part}


def test_what_a_comparison_or_a_guard_depends_on_decides():
    def function(x):
        h = np.exp(x)
        return [np.where(h > 1.0, np.sin(x), 0.0)]

    graph = record(function, [x])
    exp, greater, sin, _ = (node.out for node in graph.nodes)
    assert decisive(graph) == {graph.inputs[0], exp}
    guard = Guard(sin, np.shape, (2, 3))
    assert sin in decisive(graph.with_nodes((*graph.nodes, guard), {}))
    assert greater not in decisive(graph)


def test_arguments_have_numpys_names_and_defaults():
    value = value_of(x)
    node = Node(np.sum, (value, 0), {"keepdims": np._NoValue}, Value((3,), x.dtype))
    found = arguments(node)
    assert (found["a"], found["axis"], found["dtype"]) == (value, 0, None)
    assert found["keepdims"] is False
