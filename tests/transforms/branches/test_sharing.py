"""Arms read what is there."""

import numpy as np

from srcgrad.branches import Branch
from srcgrad.graph import Graph
from srcgrad.steps import Node, Value
from srcgrad.transforms.branches.sharing import shared_with_arms

F8 = np.dtype(float)


def number(name=None):
    return Value((), F8, name, "scalar")


def test_nothing_is_computed_twice_but_what_differs():
    x, e, y = number("x"), number("e"), number("y")
    a, p, q, b = number("a"), number("p"), number("q"), number("b")
    t = Value((), np.dtype(bool), "t", "scalar")
    steps = Node(np.exp, (a,), out=p), Node(np.sin, (p,), out=q)
    branch = Branch(Graph((a,), steps, (q,)), Graph((b,), (), (b,)))
    nodes = Node(np.exp, (x,), out=e), Node(branch, (t, x), out=(y,))
    found = shared_with_arms(Graph((t, x), nodes, (y, e)))
    found.lint()
    node = found.nodes[1]
    assert node.args == (t, x, e)
    assert [s.function for s in node.function.then.nodes] == [np.sin]
    assert shared_with_arms(found) is found
