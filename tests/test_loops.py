"""A loop runs its body; its results may be in its arguments' memory."""

import operator

import numpy as np

from srcgrad.graph import Graph
from srcgrad.loops import Loop, inputs_needed, owned_results
from srcgrad.steps import Node, Value
from srcgrad.updates import assign

F8 = np.dtype(float)


def array(name=None):
    return Value((3,), F8, name)


def number(name=None, kind="scalar"):
    return Value((), F8, name, kind)


def collecting(is_reversed=False):
    """``for i, c in zip(range(3), cs): h = h * c + x[i]``; ``ys``: ``h``."""
    i = Value((), np.dtype(int), "i", "float")
    c, h, x, t, row, new = number("c"), number("h"), array("x"), *map(number, "trn")
    nodes = (
        Node(np.multiply, (h, c), out=t),
        Node(operator.getitem, (x, i), out=row),
        Node(np.add, (t, row), out=new),
    )
    body = Graph((i, c, h, x), nodes, (new, t, new))
    parts = {"xs": 1, "carried": 1, "last": 1, "ys": 1}
    return Loop(body, 3, ((0, 1),), **parts, is_reversed=is_reversed)


def test_it_carries_and_collects():
    h, last, *ys = collecting()((1.0, 2.0, 3.0), 1.0, np.array([10.0, 20.0, 30.0]))
    assert ys == [11.0, 42.0, 156.0]
    assert (h, last) == (156.0, 126.0)


def test_the_other_way_round_items_keep_their_numbers():
    h, last, *ys = collecting(is_reversed=True)(
        (1.0, 2.0, 3.0), 1.0, np.array([10.0, 20.0, 30.0])
    )
    assert ys == [96.0, 86.0, 33.0]
    assert (h, last) == (96.0, 86.0)


def test_a_body_can_be_another_one():
    loop = collecting()
    assert loop.with_bodies((loop.body,)).bodies == (loop.body,)


def changing(is_stacked):
    """``h[0] = 1.0``, again and again."""
    h, new = array("h"), array("new")
    body = Graph((h,), (Node(assign, (h, 0, 1.0), out=new),), (new,) * (1 + is_stacked))
    return Loop(body, 4, carried=1, lists=int(is_stacked))


def test_what_is_computed_in_it_is_nobody_elses():
    x, out = array("x"), array("out")
    node = Node(changing(False), (x,), out=(out,))
    assert node.sources() == {}
    assert owned_results(node, ()) == {out}


def test_what_a_list_has_too_is_not():
    x, out, hs = array("x"), array("out"), Value((3,), F8, "hs", "list")
    node = Node(changing(True), (x,), out=(out, hs))
    assert owned_results(node, ()) == set()


def test_a_list_shares_memory_with_what_is_carried_out():
    x, out, hs = array("x"), array("out"), Value((3,), F8, "hs", "list")
    node = Node(changing(True), (x,), out=(out, hs))
    assert node.sources() == {hs: {out}}


def test_what_wanders_through_is_an_argument():
    a, b = array("a"), array("b")
    loop = Loop(Graph((a, b), (), (b, a)), 4, carried=2)
    x, y, p, q = map(array, "xypq")
    node = Node(loop, (x, y), out=(p, q))
    assert node.sources() == {p: {x, y}, q: {x, y, p}}
    assert node.shares_memory


def test_what_results_of_a_loop_depend_on():
    """Of what is carried beside them not: a loop in a loop hands that on, no more."""
    c, d, x, new_c, new_d = map(number, ("c", "d", "x", "new_c", "new_d"))
    nodes = (
        Node(np.sqrt, (c,), out=new_d),
        Node(np.multiply, (c, x), out=new_c),
    )
    inner = Loop(Graph((c, d, x), nodes, (new_c, new_d)), 3, carried=2)
    c2, d2, x2, out_c, out_d = map(number, ("c", "d", "x", "out_c", "out_d"))
    node = Node(inner, (c2, d2, x2), out=(out_c, out_d))
    assert inputs_needed(node, {out_c}) == {c2, x2}
    outer = Loop(Graph((c2, d2, x2), (node,), (out_c, out_d)), 3, carried=2)
    assert outer.needed_inside([out_c]) == {out_c, c2, x2}
