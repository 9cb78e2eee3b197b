"""Where zeros may flow back that stand for nothing."""

import numpy as np
import pytest

from srcgrad.branches import Branch
from srcgrad.graph import Graph
from srcgrad.steps import Node, Value
from srcgrad.transforms.branches.depending import depending, ends_of


def number():
    return Value((), np.dtype(float), None, "scalar")


def arm(function, *more):
    a, b = number(), number()
    return Graph((a,), (Node(function, (a, *more), out=b),), (b,))


@pytest.mark.parametrize(
    ("other", "is_end"),
    [
        (arm(np.positive), True),
        (arm(np.multiply, 0.5), True),
        (arm(np.multiply, np.inf), False),
        (arm(np.divide, 2), True),
        (arm(np.divide, 0.0), False),
        (arm(np.sqrt), False),
    ],
)
def test_a_zero_may_flow_through_a_branch_if_it_may_through_both_arms(other, is_end):
    x, y, test = number(), number(), Value((), np.dtype(bool), "t", "scalar")
    node = Node(Branch(arm(np.negative), other), (test, x), out=(y,))
    graph = Graph((test, x), (node,), (y,))
    assert (y in ends_of(graph, {x}, depending(graph, {x}))) == is_end


def test_what_is_chosen_by_a_test_does_not_depend_on_it():
    x, test = number(), Value((), np.dtype(bool), "t", "scalar")
    step = Node(np.less, (x, 0.0), out=test)
    assert depending(Graph((x,), (step,), (test,)), {x}) == {x}
