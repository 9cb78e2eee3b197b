"""Which arrays of the caller's branches read, and copies of these."""

import numpy as np

from srcgrad.branches import Branch
from srcgrad.graph import Graph
from srcgrad.steps import Node, Value
from srcgrad.transforms.branches.own_arguments import (
    MOST_COPIED,
    reads_callers,
    with_own_arguments,
)

F8 = np.dtype(float)


def of_a_branch(size):
    """A graph with a branch in an arm of a branch, which reads an input."""
    x, a, b, c, d, y, z, s, o, r = (Value((size,), F8, name) for name in "xabcdyzsor")
    t, u, v = (Value((), np.dtype(bool), name, "scalar") for name in "tuv")
    inner = Branch(
        Graph((a,), (Node(np.exp, (a,), out=y),), (y,)),
        Graph((b,), (Node(np.sin, (b,), out=z),), (z,)),
    )
    then = Graph((c, u), (Node(inner, (u, c), out=(s,)),), (s,))
    orelse = Graph((d, v), (Node(np.negative, (d,), out=o),), (o,))
    node = Node(Branch(then, orelse), (t, x, t), out=(r,))
    copy = Value((size,), F8, "r")
    return Graph((x, t), (node, Node(np.copy, (r,), out=copy)), (copy,))


def test_a_copy_is_read_in_arms_of_arms_too():
    graph = of_a_branch(3)
    assert reads_callers(graph, graph.inputs)
    found, copies = with_own_arguments(graph, {*graph.inputs})
    assert [*copies] == [graph.inputs[0]]
    assert not reads_callers(found, found.inputs)


def test_a_long_array_and_one_that_is_not_named_stay():
    long, short = of_a_branch(MOST_COPIED + 1), of_a_branch(3)
    for graph, inputs in ((long, {*long.inputs}), (short, set())):
        assert with_own_arguments(graph, inputs) == (graph, {})
