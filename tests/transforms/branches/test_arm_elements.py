"""Elements of arrays are taken outside of arms, and once."""

import operator

import numpy as np

from srcgrad.branches import Branch
from srcgrad.graph import Graph
from srcgrad.steps import Node, Value
from srcgrad.transforms.branches.arm_elements import read_once, without_elements

F8 = np.dtype(float)
X = Value((9,), F8, "x")


def taken(place, array=X):
    return Node(operator.getitem, (array, place), out=Value((), F8, kind="scalar"))


def with_branch(first, second):
    """``s = a + b if test else a - b``"""
    arms = []
    for function in (np.add, np.subtract):
        a, b, out = (Value((), F8, kind="scalar") for _ in range(3))
        arms.append(Graph((a, b), (Node(function, (a, b), out=out),), (out,)))
    out, test = Value((), F8, "s", "scalar"), Value((), np.dtype(bool), "t", "scalar")
    branch = Node(Branch(*arms), (test, first.out, second.out), out=out)
    return Graph((X, test), (first, second, branch), (out,))


def test_elements_of_what_an_arm_makes_stay_in_it():
    made = Value((9,), F8)
    own = taken(0, made)
    steps = [Node(np.negative, (X,), out=made), own, taken(0)]
    assert without_elements(steps) == (steps[:2], steps[2:])


def test_what_has_been_taken_is_not_taken_again():
    first, again = taken(0), taken(0)
    graph = read_once(with_branch(first, again))
    assert graph.nodes[0] is first
    assert graph.nodes[1].args[1:] == (first.out, first.out)


def test_other_elements_stay():
    graph = with_branch(taken(0), taken(1))
    assert read_once(graph) is graph


def test_an_element_that_is_read_elsewhere_stays():
    first, again = taken(0), taken(0)
    graph = with_branch(first, again)
    graph = Graph(graph.inputs, graph.nodes, (*graph.outputs, again.out))
    assert read_once(graph) is graph
