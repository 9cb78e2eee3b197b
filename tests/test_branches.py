"""A branch runs one of its arms."""

import numpy as np
import pytest

from srcgrad.branches import Branch, form_of, with_constants_inside
from srcgrad.graph import Graph
from srcgrad.steps import Node, Value

F8 = np.dtype(float)


def array(name=None, kind="array"):
    return Value((3,), F8, name, kind)


def arms(function, other=np.negative):
    x, a, y, b = array("x"), array("a"), array("y"), array("b")
    return (
        Graph((x,), (Node(function, (x,), out=a),), (a,)),
        Graph((y,), (Node(other, (y,), out=b),), (b,)),
    )


@pytest.mark.parametrize("test", [True, False])
def test_one_arm_runs(test):
    (found,) = Branch(*arms(np.exp))(test, np.zeros(3))
    assert found.tolist() == ([1.0] * 3 if test else [-0.0] * 3)


def test_branches_of_one_form_have_the_same_steps():
    assert form_of(Branch(*arms(np.exp))) == form_of(Branch(*arms(np.exp)))
    assert form_of(Branch(*arms(np.exp))) != form_of(Branch(*arms(np.sin)))


def test_a_result_may_be_what_was_given():
    x, a, y = array("x"), array("a"), array("y")
    then = Graph((x,), (Node(np.exp, (x,), out=a),), (a,))
    test, given, out = Value((), np.dtype(bool), "t", "scalar"), array(), array()
    node = Node(Branch(then, Graph((y,), (), (y,))), (test, given), out=(out,))
    assert node.sources() == {out: {given}}


def test_constants_stand_in_the_arms():
    k, x, a = Value((), F8, "k", "float"), array("x"), array("a")
    l, y = Value((), F8, "l", "float"), array("y")  # noqa: E741
    then = Graph((k, x), (Node(np.multiply, (k, x), out=a),), (a,))
    test, given, out = Value((), np.dtype(bool), "t", "scalar"), array(), array()
    branch = Branch(then, Graph((l, y), (), (y,)))
    node = with_constants_inside(Node(branch, (test, 2.0, given), out=(out,)))
    assert node.args == (test, given)
    assert node.function.then.nodes[0].args == (2.0, x)
