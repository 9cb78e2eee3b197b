"""Values, nodes and guards: what they hold, and what replaces them."""

import operator

import numpy as np
import pytest

from srcgrad.steps import Guard, Node, Value, map_values, values_in


def array(name, *shape):
    return Value(shape, np.dtype(float), name)


x, h, y = array("x", 3), array("h", 3), array("y", 3)


def test_values_are_found_and_replaced_however_deep():
    item = (x, [1.0, {"key": h}], slice(None, y), "text")
    assert list(values_in(item)) == [x, h, y]
    names = map_values(lambda value: value.name, item)
    assert names == ("x", [1.0, {"key": "h"}], slice(None, "y"), "text")
    assert map_values(lambda value: value, item) == item


@pytest.mark.parametrize(
    ("node", "has_effect", "shares_memory"),
    [
        (Node(np.exp, (x,), out=h), False, False),
        (Node(np.exp, (x,), out=h, must_run=True), True, False),
        (Node(np.random.normal, (x,), out=h), True, False),
        (Node(np.reshape, (x, (3, 1)), out=h), False, True),
        (Node(operator.getitem, (x, slice(2)), out=h), False, True),
        (Node(operator.getitem, (x, [0, 1]), out=h), False, False),
        (
            Node(operator.getitem, (x, 0), out=Value((), x.dtype, None, "scalar")),
            False,
            False,
        ),
        (Node(np.einsum, ("i->i", x), out=h), False, True),
        (Node(np.einsum, ("i,i->i", x, y), out=h), False, False),
    ],
)
def test_what_a_node_does_beside_its_result(node, has_effect, shares_memory):
    assert node.has_effect is has_effect
    assert node.shares_memory is shares_memory


def test_a_node_knows_its_values_however_it_was_made():
    node = Node(np.stack, ([x, h],), {"axis": 0}, out=y)
    assert node.inputs == (x, h)
    assert node.results == (y,)
    other = node.with_values({h: y})
    assert (other.inputs, other.results) == ((x, y), (y,))
    assert node.with_values({y: x}) is node
    assert node.renamed({y: h}).results == (h,)
    assert node.renamed({array("z", 3): x}) is node
    several = Node(np.modf, (x,), out=(h, y))
    assert several.renamed({h: x}).results == (x, y)


@pytest.mark.parametrize(
    ("value", "convert", "observed", "holds"),
    [
        (np.float64(2.0), float, 2.0, True),
        (np.float64(2.5), float, 2.0, False),
        (np.float64(0.0), float, -0.0, False),
        (np.float64(np.nan), float, np.nan, True),
        (np.bool_(True), bool, True, True),
        (np.zeros(3), np.shape, (3,), True),
        (np.zeros(3), np.shape, (2,), False),
    ],
)
def test_a_guard_on_a_constant_holds_if_the_value_is_the_same(
    value, convert, observed, holds
):
    assert Guard(value, convert, observed).holds() is holds
