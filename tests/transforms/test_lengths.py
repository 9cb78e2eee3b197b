"""What of a graph is the same at any length."""

import operator

import numpy as np
import pytest

from srcgrad.graph import Joint
from srcgrad.steps import Guard, Node, Value
from srcgrad.transforms.lengths import is_element, with_lengths
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
        Node(np.sum, (X,), out=Value((), F8)),
        Node(np.exp, (X,), out=Value((5,), F8)),
        Node(np.add, (X, np.ones(5)), out=Value((5,), F8)),
        Node(np.full, (5, 2.0), out=Value((5,), F8)),
        Node(np.multiply, (A, np.ones(5)), out=Value((5,), F8)),
        Node(operator.getitem, (X, slice(1, None)), out=Value((4,), F8)),
        Node(np.zeros, ((2, 5),), out=Value((2, 5), F8)),
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


def test_an_element_is_chosen_by_a_number():
    number, truth = Value((), np.dtype(int), kind="float"), Value((), np.dtype(bool))
    assert all(map(is_element, (1, -1, number, (number, slice(None)), np.int64(2))))
    others = (True, truth, slice(1), None, (), ..., (1, None), np.arange(2), A)
    assert not any(map(is_element, others))
