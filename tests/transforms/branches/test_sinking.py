"""Where nothing flows back, no zero does."""

import numpy as np
import pytest

from srcgrad.branches import Branch
from srcgrad.graph import Graph
from srcgrad.steps import Node, Value
from srcgrad.transforms.branches.sinking import AbsentError, reached, sunk

F8 = np.dtype(float)
TEST = Value((), np.dtype(bool), "t", "scalar")


def number(name=None):
    return Value((), F8, name, "scalar")


def branch_on(value, out):
    """One arm squares a value, the other one does not read it."""
    a, b, c, d = (number(name) for name in "abcd")
    then = Graph((a,), (Node(np.square, (a,), out=c),), (c,))
    orelse = Graph((b,), (Node(np.add, (1.0, 2.0), out=d),), (d,))
    return Node(Branch(then, orelse), (TEST, value), out=(out,))


def test_what_is_reached_in_one_arm_is_not_always():
    x, y = number("x"), number("y")
    graph = Graph((TEST, x), (branch_on(x, y),), (y,))
    assert x in reached(graph, {y}, always=False)
    assert x not in reached(graph, {y}, always=True)


def test_what_is_reached_anyway_stays_outside():
    x, r, y, z = (number(name) for name in "xryz")
    nodes = (
        Node(np.sqrt, (x,), out=r),
        branch_on(r, y),
        Node(np.add, (y, r), out=z),
    )
    graph = Graph((TEST, x), nodes, (z,))
    assert sunk(graph, {z}, {x}, {}).nodes[1].args == nodes[1].args


def test_what_cannot_go_into_an_arm_is_refused():
    x, y, v = number("x"), number("y"), number("v")
    view = Node(np.transpose, (x,), out=v)
    with pytest.raises(AbsentError):
        sunk(Graph((TEST, x), (view, branch_on(v, y)), (y,)), {y}, {x}, {})
