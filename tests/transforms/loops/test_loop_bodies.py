"""What the halves of a loop's body hand over, and how gradients add up."""

import operator

import numpy as np

from srcgrad.graph import Graph, Joint
from srcgrad.loops import Loop
from srcgrad.steps import Node, Value
from srcgrad.transforms.loops.loop_bodies import (
    copied_views,
    in_backward,
    summed_inside,
)
from srcgrad.updates import add_at, assign, scatter

F8 = np.dtype(float)


def array(name=None):
    return Value((3, 2), F8, name)


def row(name=None):
    return Value((2,), F8, name)


H, NEW, G = array("h"), array("new"), row("g")


def body(is_changed):
    part, g = row("part"), row("dpart")
    last = Node(assign, (H, 0, part), out=NEW)
    if not is_changed:
        last = Node(np.add, (H, part), out=NEW)
    nodes = (
        Node(operator.getitem, (H, 1), out=part),
        last,
        Node(np.multiply, (G, part), out=g, in_backward=True),
    )
    return Joint((H,), nodes, (NEW,), cotangents=(G,), gradients=(None,))


def test_parts_of_what_changes_are_copied():
    joint = copied_views(body(True), [H])
    (copy,) = (step for step in joint.nodes if step.function is np.copy)
    assert joint.held == copy.results
    assert joint.nodes[-1].args[1] is copy.out
    joint.lint()


def test_parts_of_what_does_not_are_not():
    joint = body(False)
    assert copied_views(joint, [H]) is joint


def test_a_step_that_is_done_again_need_not_run():
    step = Node(operator.getitem, (H, 1), out=row(), must_run=True)
    again = in_backward(step)
    assert (again.in_backward, again.must_run) == (True, False)


TOTAL, ADDED = array("total"), array("added")


def test_scattered_parts_are_added_at_their_places():
    a, b = array("a"), array("b")
    nodes = [Node(scatter, (G, 0, (3, 2)), out=a), Node(add_at, (a, 1, G), out=b)]
    first, second = summed_inside(nodes, b, TOTAL, ADDED)
    assert (first.function, first.args[0]) == (add_at, TOTAL)
    assert second.out is ADDED


def test_what_is_looked_at_on_the_way_is_not():
    a, b, c = array("a"), array("b"), array("c")
    nodes = [Node(scatter, (G, 0, (3, 2)), out=a), Node(add_at, (a, 1, G), out=b)]
    nodes.append(Node(np.exp, (a,), out=c))
    assert summed_inside(nodes, b, TOTAL, ADDED) is None
    assert summed_inside(nodes, c, TOTAL, ADDED) is None


def test_a_loop_goes_on_with_a_sum():
    state, more = array("s"), array("m")
    zeros, out = array("zeros"), array("out")
    adding = Graph((state,), (Node(add_at, (state, 0, 1.0), out=more),), (more,))
    nodes = [
        Node(np.zeros, ((3, 2),), out=zeros),
        Node(Loop(adding, 4, carried=1), (zeros,), out=(out,)),
    ]
    (loop,) = summed_inside(nodes, out, TOTAL, ADDED)
    assert (loop.args, loop.out) == ((TOTAL,), (ADDED,))


def test_what_is_another_gradient_too_is_not():
    a, b = array("a"), array("b")
    nodes = [Node(scatter, (G, 0, (3, 2)), out=a), Node(add_at, (a, 1, G), out=b)]
    assert summed_inside(nodes, b, TOTAL, ADDED, [b]) is None
    assert summed_inside(nodes, b, TOTAL, ADDED, [a]) is None
    assert summed_inside(nodes, b, TOTAL, ADDED, [None]) is not None
