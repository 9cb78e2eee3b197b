"""What of a graph is the same at any length."""

import operator

import numpy as np
import pytest

from srcgrad.graph import Joint
from srcgrad.steps import Guard, Node, Value
from srcgrad.transforms.loops.symbolic_lengths import with_lengths
from srcgrad.updates import add_at, scatter

F8 = np.dtype(float)


def arrays(*shapes):
    return [Value(shape, F8) for shape in shapes]


def joint(x, out, gradient, *nodes):
    return Joint((x,), nodes, (out,), gradients=(gradient,))


def test_what_makes_the_gradient_is_given_the_length():
    x, a, dx = arrays((5, 2), (2,), (5, 2))
    taken = Node(operator.getitem, (x, 1), out=a)
    put = Node(scatter, (a, 1, (5, 2)), out=dx)
    opened = with_lengths(joint(x, a, dx, taken, put), {x}, [x])
    length, _, scattered = opened.graph.nodes
    assert length.function is len
    assert scattered.args == (a, 1, (length.out, 2))
    assert opened.graph.held == (length.out,)


X, A, DX, G = arrays((5,), (), (5,), ())
ITEM = Node(operator.getitem, (X, 1), out=A)
PUT = Node(scatter, (A, 1, (5,)), out=DX)


@pytest.mark.parametrize(
    "node",
    [
        Node(np.mean, (X,), out=Value((), F8)),
        Node(np.sort, (X,), out=Value((5,), F8)),
        Node(np.add, (X, np.ones(5)), out=Value((5,), F8)),
        Node(np.multiply, (A, np.ones(5)), out=Value((5,), F8)),
        Node(operator.getitem, (X, slice(0, None, 2)), out=Value((3,), F8)),
        Node(operator.getitem, (X, np.array([0, 1])), out=Value((2,), F8)),
        Node(np.reshape, (X, (5, 1)), {"order": "F"}, out=Value((5, 1), F8)),
        Node(add_at, (DX, 1, A), {"order": "C"}, out=Value((5,), F8)),
        Guard(X, bool, True),
    ],
)
def test_anything_else_closes_it(node):
    assert with_lengths(joint(X, A, DX, ITEM, PUT), {X}, [X]).open == {X}
    graph = joint(X, A, DX, ITEM, PUT, node)
    opened = with_lengths(graph, {X}, [X])
    assert not opened.open
    assert opened.graph.nodes == graph.nodes


@pytest.mark.parametrize(
    "node",
    [
        Node(np.sum, (X,), out=Value((), F8)),
        Node(np.exp, (X,), out=Value((5,), F8)),
        Node(operator.getitem, (X, slice(1, None)), out=Value((4,), F8)),
        Node(operator.getitem, (X, slice(None, -3)), out=Value((2,), F8)),
        Node(np.zeros, (5,), out=Value((5,), F8)),
        Node(np.outer, (X, DX), out=Value((5, 5), F8)),
    ],
)
def test_what_follows_leaves_it_open(node):
    assert with_lengths(joint(X, A, DX, ITEM, PUT, node), {X}, [X]).open == {X}
