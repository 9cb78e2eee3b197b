"""Graphs: their form, their text, and running them."""

import numpy as np
import pytest

from srcgrad.graph import Graph, Node, Value, evaluate, map_values, values_in
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


def test_values_are_found_and_replaced_however_deep():
    item = (x, [1.0, {"key": h}], slice(None, y), "text")
    assert list(values_in(item)) == [x, h, y]
    names = map_values(lambda value: value.name, item)
    assert names == ("x", [1.0, {"key": "h"}], slice(None, "y"), "text")
    assert map_values(lambda value: value, item) == item


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
