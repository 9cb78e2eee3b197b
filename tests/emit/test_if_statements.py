"""Branches as people write them."""

import numpy as np

from srcgrad import emit
from srcgrad.branches import Branch
from srcgrad.graph import Graph, Partition
from srcgrad.steps import Node, Value

F8 = np.dtype(float)


def number(name=None):
    return Value((), F8, name, "scalar")


def written(then, orelse, names, given=2):
    """The statements of a function, and the function."""
    test = Value((), np.dtype(bool), "t", "scalar")
    inputs = [number(name) for name in "ab"[:given]]
    out = tuple(number(name) for name in names)
    node = Node(Branch(then, orelse), (test, *inputs), out=out)
    graph = Graph((test, *inputs), (node,), out)
    module = emit.build("branches", Partition(graph))
    text = module.text.partition("def forward")[2].partition("\n")[2]
    return [line.removeprefix("    ") for line in text.splitlines()], module.forward


def test_arms_give_names_to_the_same_things():
    a, b, u = number("a"), number("b"), number("u")
    c, d, v = number("a"), number("b"), number("u")
    then = Graph((a, b), (Node(np.multiply, (a, b), out=u),), (u,))
    orelse = Graph((c, d), (Node(np.add, (c, d), out=v),), (v,))
    lines, forward = written(then, orelse, "u")
    assert lines == ["if t:", "    u = a * b", "else:", "    u = a + b", "return u"]
    assert (forward(True, 2.0, 3.0), forward(False, 2.0, 3.0)) == (6.0, 5.0)


def test_what_is_the_same_in_both_needs_no_arm():
    a, u, c = number("a"), number("a"), number("a")
    then = Graph((a,), (), (a,))
    orelse = Graph((c,), (Node(np.exp, (c,), out=u),), (u,))
    lines, forward = written(then, orelse, "u", given=1)
    assert lines == ["if t:", "    u = a", "else:", "    u = np.exp(a)", "return u"]
    assert forward(True, 2.0) == 2.0


def test_two_results_are_bound_together():
    a, b, c, d = number("a"), number("b"), number("a"), number("b")
    lines, forward = written(
        Graph((a, b), (), (b, a)), Graph((c, d), (), (c, d)), ["p", "q"]
    )
    assert lines[1:3] == ["    p = b", "    q = a"]
    assert forward(True, 2.0, 3.0) == (3.0, 2.0)


def test_what_an_arm_gets_keeps_its_name_and_what_it_is():
    """Others may want it after the branch, as what it was."""
    b, p, q, r, s = (Value((), F8, "b", kind) for kind in "float float x x x".split())
    q.kind = r.kind = s.kind = "scalar"
    test, y = Value((), np.dtype(bool), "t", "scalar"), number("y")
    then = Graph((p,), (Node(np.float64, (p,), out=q),), (q,))
    orelse = Graph((r,), (Node(np.exp, (r,), out=s),), (s,))
    node = Node(Branch(then, orelse), (test, b), out=(y,))
    module = emit.build("branches", Partition(Graph((test, b), (node,), (b,))))
    assert type(module.forward(True, 2.0)) is float
