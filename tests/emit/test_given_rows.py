"""Loops that take numbers of arrays row by row, as a person would write them."""

import operator

import numpy as np
import pytest

from srcgrad.graph import Graph
from srcgrad.loops import Loop
from srcgrad.steps import Node, Value
from srcgrad.unboxing import number_at
from tests.emit.test_loop_statements import array, written

INT = np.dtype(int)


def integer(name=None):
    return Value((), INT, name, "float", "i")


def sums(order, count, *columns, reversed_=False, also_index=False):
    """A loop that multiplies by the elements of some columns, and may add its index."""
    shape = (5,) if columns == (None,) else (5, 2)
    k, given = integer("k"), Value(shape, INT, "p")
    total, nodes = array("t"), []
    state = total
    for column in columns:
        place = () if column is None else (column,)
        item, state_of = integer(f"i{column or 0}"), array("t")
        nodes.append(Node(number_at, (given, k, *place), out=item))
        nodes.append(Node(operator.mul, (state, item), out=state_of))
        state = state_of
    if also_index:
        last = array("t")
        nodes.append(Node(operator.add, (state, k), out=last))
        state = last
    graph = Graph((k, total, given), tuple(nodes), (state,))
    loop = Loop(graph, count, (order,), carried=1, is_reversed=reversed_)
    start, own, out = array("t"), Value(given.shape, INT, "p"), array("t")
    return Graph((start, own), (Node(loop, (start, own), out=(out,)),), (out,))


P = np.array([[2, 3], [4, 5], [6, 7], [8, 9], [10, 11]])


@pytest.mark.parametrize(
    ("graph", "head", "given"),
    [
        (sums((0, 1), 5, 0, 1), "for i0, i1 in p.tolist():", P),
        (sums((0, 1), 5, 1), "for _, i1 in p.tolist():", P),
        (sums((0, 1), 5, None), "for i0 in p.tolist():", P[:, 0]),
        (sums((1, 1), 4, None), "for i0 in p[1:].tolist():", P[:, 0]),
        (sums((0, 1), 3, None), "for i0 in p[:3].tolist():", P[:, 0]),
        (sums((1, 2), 2, None), "for i0 in p[1::2].tolist():", P[:, 0]),
        (sums((4, -1), 5, None), "for i0 in p[::-1].tolist():", P[:, 0]),
        (sums((3, -1), 3, None), "for i0 in p[3:0:-1].tolist():", P[:, 0]),
        (sums((3, -1), 4, None), "for i0 in p[3::-1].tolist():", P[:, 0]),
        (
            sums((0, 1), 5, None, reversed_=True),
            "for i0 in reversed(p.tolist()):",
            P[:, 0],
        ),
        (
            sums((0, 1), 5, None, also_index=True),
            "for k, i0 in zip(range(5), p.tolist(), strict=True):",
            P[:, 0],
        ),
    ],
)
def test_a_loop_is_given_its_numbers(graph, head, given):
    lines, forward = written(graph)
    assert lines[0] == head
    (node,) = graph.nodes
    loop = node.function
    (start, step), total = loop.indices[0], 1.0
    numbers = range(start, start + step * loop.count, step)
    columns = [0, 1] if "i0, i1" in head else [1] if "_, i1" in head else [None]
    for k in reversed(numbers) if loop.is_reversed else numbers:
        for column in columns:
            total *= given[k] if column is None else given[k, column]
        total += k if "range" in head else 0
    assert forward(np.ones(3), given)[0] == total


def test_what_is_no_row_of_an_iteration_is_taken_by_its_place():
    graph = sums((0, 1), 5, None)
    (node,) = graph.nodes
    body = node.function.body
    first = body.nodes[0]
    moved = Node(number_at, (first.args[0], 2), out=first.results[0])
    other = Graph(body.inputs, (moved, *body.nodes[1:]), body.outputs)
    loop = Loop(other, 5, ((0, 1),), carried=1)
    again = Graph(graph.inputs, (Node(loop, node.args, out=node.out),), graph.outputs)
    lines, forward = written(again)
    assert any("p.item(2)" in line for line in lines)
    assert forward(np.ones(3), P[:, 0])[0] == 6.0**5
