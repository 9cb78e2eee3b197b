"""The pipeline as a whole: order, failures, documentation, and time."""

import doctest
import inspect
import itertools
import sys

import numpy as np
import pytest

from srcgrad import transforms
from srcgrad.graph import Graph
from srcgrad.steps import Node, Value
from srcgrad.transforms import PIPELINE, PassError, optimize, split
from tests.graphs import Twice
from tests.transforms.interpret import record, text

rng = np.random.default_rng(0)
W, b = rng.normal(size=(4, 3)), np.zeros(3)
x, y = rng.normal(size=(32, 4)), rng.normal(size=(32, 3))


def network(W, b, x, y, g):
    """A layer and a loss, with the backward half as the rules give it."""
    h = np.tanh(np.matmul(x, W) + b)
    r = h - y
    loss = np.mean(r**2)
    spread = np.broadcast_to(np.reshape(g, (1, 1)) / 96, (32, 3))
    dh = 2.0 * spread * r
    dz = dh * (1.0 - h * h)
    dW = np.matmul(np.swapaxes(x, -1, -2), dz)
    return [loss], [dW, np.sum(dz, axis=(0,)), None, None]


def test_a_network():
    graph = record(network, [W, b, x, y], [np.float64(1.0)])
    partition = split(optimize(graph, check=True))
    assert text(partition.forward) == [
        "t = matmul(z, x)",
        "t_1 = add(t, y)",
        "t_2 = tanh(t_1)",
        "t_3 = subtract(t_2, u)",
        "t_4 = multiply(t_3, t_3)",
        "t_5 = sum(t_4)",
        "t_6 = divide(t_5, 96)",
        "return t_6",
    ]
    assert text(partition.backward) == [
        "t = divide(g, 48.0)",
        "t_2 = multiply(t, t_1)",
        "t_4 = multiply(t_3, t_3)",
        "t_5 = subtract(1.0, t_4)",
        "t_6 = multiply(t_2, t_5)",
        "t_7 = swapaxes(z, -1, -2)",
        "t_8 = matmul(t_7, t_6)",
        "t_9 = sum(t_6, axis=(0,))",
        "return t_8, t_9",
    ]


def test_nothing_to_do_gives_the_same_graph():
    graph = record(lambda x: [np.tanh(x)], [x])
    assert optimize(graph, check=True) is graph
    for transform in PIPELINE:
        assert transform(graph) is graph


@pytest.mark.parametrize("transform", [*PIPELINE, split], ids=lambda f: f.__name__)
def test_every_pass_has_a_doctest(transform):
    module = inspect.getmodule(transform)
    examples = doctest.DocTestParser().get_examples(module.__doc__)
    assert any(transform.__name__ in example.source for example in examples)


def break_graph(graph):
    """Lose a node."""
    return Graph(graph.inputs, graph.nodes[:-1], graph.outputs)


def raise_error(graph):
    """Fail."""
    raise KeyError("reason")


@pytest.mark.parametrize(
    ("bad", "cause"), [(break_graph, ValueError), (raise_error, KeyError)]
)
def test_a_failure_names_the_pass_and_keeps_the_graph(monkeypatch, bad, cause):
    graph = record(lambda x: [np.tanh(x)], [x])
    monkeypatch.setattr(transforms, "PIPELINE", (PIPELINE[0], bad))
    with pytest.raises(PassError, match=f"{bad.__name__} .* 1 nodes") as caught:
        optimize(graph, check=True)
    assert caught.value.graph is graph
    assert isinstance(caught.value.__cause__, cause)


def test_work_is_linear():
    """As many calls for each node, of ten times the nodes."""

    def loop(steps):
        def function(x, g):
            h, d = x, g
            for _ in range(steps):
                h = np.sin(h) * 2.0 * 3.0 + x
                d = 2.0 * d * np.cos(h)
            return [h], [d]

        return record(function, [b], [b])

    def calls_per_node(graph):
        calls = itertools.count()
        before = sys.getprofile()
        sys.setprofile(lambda _, event, __: event.endswith("call") and next(calls))
        try:
            split(optimize(graph, check=True))
        finally:
            sys.setprofile(before)
        return next(calls) / len(graph.nodes)

    assert calls_per_node(loop(2000)) < 1.2 * calls_per_node(loop(200))


# ----- Bodies -----


def in_body(function):
    """A graph whose one node runs the graph of a function."""
    body = record(function, [b])
    out = body.outputs[0]
    y = Value(out.shape, out.dtype, "y")
    return Graph((x_value,), (Node(Twice(body), (x_value,), out=y),), (y,))


x_value = Value((3,), np.dtype(float), "x")


def test_every_pass_goes_into_bodies():
    def wasteful(x):
        np.exp(x)
        return [np.mean(x**2) + np.mean(x**2) * 1.0]

    graph = optimize(in_body(wasteful), check=True)
    (node,) = graph.nodes
    alone = optimize(record(wasteful, [b]), check=True)
    assert text(node.function.bodies[0]) == text(alone)
    assert len(alone.nodes) < len(record(wasteful, [b]).nodes)


def test_bodies_of_bodies_come_first():
    seen = []

    def note(graph):
        seen.append(len(graph.nodes))
        return graph

    inner = in_body(lambda x: [np.exp(np.sin(np.tanh(x)))])
    outer = Graph(
        (x_value,),
        (*inner.nodes, Node(Twice(inner), (inner.outputs[0],), out=y_value)),
        (y_value,),
    )
    assert transforms.inside_out(note, outer) is outer
    assert seen == [3, 3, 1, 2]


y_value = Value((3,), np.dtype(float), "t")


def test_a_failure_in_a_body_names_the_pass():
    body = Graph((x_value,), (), None)
    broken = Graph(
        (x_value,), (Node(Twice(body), (x_value,), out=y_value),), (y_value,)
    )
    with pytest.raises(PassError, match=PIPELINE[0].__name__):
        optimize(broken)
