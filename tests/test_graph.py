"""Graphs: their form, their text, and running them."""

import numpy as np
import pytest

from srcgrad.graph import Graph, Joint, Partition, evaluate, map_bodies, walk
from srcgrad.steps import Guard, Node, Value
from tests.graphs import Twice
from tests.variables import variable


def array(name, *shape):
    return Value(shape, np.dtype(float), name)


x, h, y = array("x", 3), array("h", 3), array("y", 3)
EXP, DOUBLE = Node(np.exp, (x,), out=h), Node(np.add, (h, h), out=y)


def test_a_graph_in_order_passes():
    Graph((x,), (EXP, DOUBLE), (y,)).lint()


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (Graph((x,), (DOUBLE, EXP), (y,)), "used before it is defined"),
        (Graph((x,), (EXP, EXP), (h,)), "defined twice"),
        (Graph((x, h), (EXP,), (h,)), "defined twice"),
        (Graph((x,), (EXP,), (y,)), "returned but never defined"),
        (Graph((x, x), (EXP,), (h,)), "given twice"),
        (Graph((x,), (EXP,), (h,), constants={x: np.ones(3)}), "given twice"),
    ],
)
def test_a_broken_graph_is_refused(graph, message):
    with pytest.raises(ValueError, match=message):
        graph.lint()


def test_users_and_origins():
    t, u, v = array("t", 3, 3), array("u", 3), array("v", 2)
    s = Value((), np.dtype(float), "s", "scalar")
    nodes = (
        Node(np.outer, (x, x), out=t),
        Node(np.diagonal, (t,), out=u),
        Node(np.reshape, (u, (3,)), out=h),
        Node(np.broadcast_to, (s, (2,)), out=v),
        Node(np.exp, (h,), out=y),
    )
    graph = Graph((x, s), nodes, (h, v, y))
    several = dict.fromkeys((x, h, v, y))
    assert graph.only_users() == {t: nodes[1], u: nodes[2], s: nodes[3]} | several
    assert graph.origins() == {u: {t}, h: {t}}


def test_the_text_names_each_value_once():
    again = array("h", 3)
    nodes = (
        EXP,
        Node(np.sum, (h,), {"axis": 0, "keepdims": True}, again),
        Node(np.concatenate, ([h, again],), out=Value((4,), np.dtype(float))),
    )
    assert str(Graph((x,), nodes, nodes[2].results)).splitlines() == [
        "h = exp(x)",
        "h_1 = sum(h, axis=0, keepdims=True)",
        "t = concatenate([h, h_1])",
        "return t",
    ]


def test_running_a_graph():
    first, second = array("first", 2), array("second", 1)
    parts = Node(np.split, (y, [2]), out=(first, second))
    graph = Graph((x,), (EXP, DOUBLE, parts), (second, y))
    seen = []
    data = np.array([0.0, 1.0, 2.0])
    out = evaluate(graph, (data,), lambda node, result: seen.append(node))
    np.testing.assert_array_equal(out[0], 2.0 * np.exp(data[2:]))
    np.testing.assert_array_equal(out[1], 2.0 * np.exp(data))
    assert seen == [EXP, DOUBLE, parts]


def test_running_a_graph_on_variables_puts_it_on_the_tape():
    v = variable([0.0, 1.0, 2.0])
    (out,) = evaluate(Graph((x,), (EXP, DOUBLE), (y,)), (v,))
    out.sum().backward()
    np.testing.assert_allclose(v.grad.data, 2.0 * np.exp(v.data))


# ----- Both halves in one -----

g, dx = array("g", 3), array("dx", 3)
BACK = Node(np.multiply, (g, h), out=dx, in_backward=True)


def test_a_joint_graph_has_cotangents_and_gradients():
    joint = Joint((x,), (EXP, BACK), (h,), cotangents=(g,), gradients=(dx,))
    joint.lint()
    assert joint.given == (x, g)
    assert joint.results == (h, dx)
    assert str(joint).splitlines()[-1] == "return h; dx"
    other = array("other", 3)
    changed = joint.with_nodes(joint.nodes, {dx: other})
    assert changed.gradients == (other,)
    assert changed.cotangents == (g,)


def test_a_joint_graph_has_a_gradient_or_none_for_each_input():
    joint = Joint((x, y), (EXP, BACK), (h,), cotangents=(g,), gradients=(dx, None))
    joint.lint()
    assert joint.results == (h, dx)
    assert str(joint).splitlines()[-1] == "return h; dx, None"
    with pytest.raises(ValueError, match="differ in number"):
        Joint((x, y), (EXP, BACK), (h,), cotangents=(g,), gradients=(dx,)).lint()


def test_halves_without_a_backward_have_no_cotangents():
    assert Partition(Graph((x,), (EXP,), (h,))).cotangents == ()
    backward = Graph((h, g), (BACK,), (dx,))
    assert Partition(Graph((x,), (EXP,), (h,)), backward, (h,), (dx,)).cotangents == (
        g,
    )


# ----- Guards -----


def test_a_guard_defines_nothing_and_stays():
    guard = Guard(h, float, 1.0)
    assert guard.inputs == (h,)
    assert guard.results == ()
    assert guard.has_effect
    assert guard.with_values({h: y}).inputs == (y,)
    assert guard.with_values({x: y}) is guard
    graph = Graph((x,), (EXP, guard), (h,))
    graph.lint()
    assert str(graph).splitlines()[1] == "guard float(h) is 1.0"
    with pytest.raises(ValueError, match="used before it is defined"):
        Graph((x,), (guard, EXP), (h,)).lint()


# ----- Bodies -----


def twice(body):
    """A graph of one node that runs a body twice."""
    return Graph((x,), (Node(Twice(body), (x,), out=y),), (y,))


BODY = Graph((g,), (Node(np.square, (g,), out=dx),), (dx,))


def test_a_body_is_run_printed_and_walked():
    outer = twice(BODY)
    outer.lint()
    np.testing.assert_array_equal(evaluate(outer, (np.full(3, 3.0),))[0], 81.0)
    assert str(outer).splitlines() == [
        "y = twice(x)",
        "    body(g):",
        "        dx = square(g)",
        "        return dx",
        "return y",
    ]
    inner = twice(BODY)
    outer = twice(inner)
    assert list(walk(outer)) == [*BODY.nodes, *inner.nodes, *outer.nodes]


def test_a_broken_body_is_refused():
    with pytest.raises(ValueError, match="never defined"):
        twice(Graph((g,), (), (dx,))).lint()


def test_a_node_has_the_effects_of_its_bodies():
    assert not twice(BODY).nodes[0].has_effect
    drawn = Node(np.random.default_rng(0).normal, (g,), out=dx)
    assert twice(Graph((g,), (drawn,), (dx,))).nodes[0].has_effect
    guarded = Graph((g,), (*BODY.nodes, Guard(dx, np.shape, (3,))), (dx,))
    assert twice(guarded).nodes[0].has_effect
    assert twice(BODY).nodes[0].shares_memory  # it is not known


def test_bodies_are_changed_only_where_there_is_a_change():
    (node,) = twice(BODY).nodes
    assert map_bodies(lambda body: body, node) is node
    other = Graph((g,), (Node(np.exp, (g,), out=dx),), (dx,))
    assert map_bodies(lambda body: other, node).function.bodies == (other,)
    assert node.function.bodies == (BODY,)
    assert map_bodies(lambda body: other, EXP) is EXP
