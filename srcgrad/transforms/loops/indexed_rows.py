"""What a loop is given row by row, of one array, it takes from that by its index.

So it is with cotangents: ``np.array(states)`` of what a loop has kept gives back one
row to each iteration.

>>> from srcgrad.graph import Graph
>>> f8 = np.dtype(float)
>>> x, s, c, r, t = (Value((), f8, name) for name in "xscrt")
>>> a, *rows = Value((4,), f8, "a"), *(Value((), f8, name) for name in "efgh")
>>> body = Graph((r, s), (Node(np.multiply, (s, r), out=t),), (t,))
>>> parts = [Node(operator.getitem, (a, i), out=row) for i, row in enumerate(rows)]
>>> loop = Node(Loop(body, 4, xs=1, carried=1), (tuple(rows), x), out=(c,))
>>> print(eliminate_dead_code(take_rows(Graph((a, x), (*parts, loop), (c,)))))
c = loop(x, a)
    body(i, s, a_1):
        r = getitem(a_1, i)
        t = multiply(s, r)
        return t
return c
"""

import operator
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from srcgrad.graph import Program
from srcgrad.loops import Loop
from srcgrad.steps import Node, Step, Value
from srcgrad.transforms.algebra.dce import eliminate_dead_code
from srcgrad.transforms.loops.loop_bodies import with_consts


class Row(NamedTuple):
    """What is at a number along an axis of an array."""

    array: Value
    axis: int
    number: int


def take_rows(graph: Program) -> Program:
    """Let loops take the rows of arrays themselves, where these come in order."""
    if not any(type(function) is Loop for function in graph.functions):
        return graph
    rows: dict[Value, Row] = {}
    steps: list[Step] = []
    for step in graph.nodes:
        if type(step) is Node and type(step.function) is Loop:
            step = _with_rows(step, step.function, rows)
        elif type(step) is Node and (row := _row_of(step)) is not None:
            rows[step.results[0]] = row
        steps.append(step)
    if all(new is old for new, old in zip(steps, graph.nodes, strict=True)):
        return graph
    return eliminate_dead_code(graph.with_nodes(steps, {}))


def _row_of(step: Node) -> Row | None:
    """What a step takes from an array, if that is at one number along one axis."""
    if step.function is not operator.getitem:
        return None
    array, index = step.args
    *before, number = (index if isinstance(index, tuple) else (index,)) or (None,)
    if type(array) is not Value or array.kind != "array" or type(number) is not int:
        return None
    if not all(type(part) is slice and part == slice(None) for part in before):
        return None
    return Row(array, len(before), number % array.shape[len(before)])


def _with_rows(node: Node, loop: Loop, rows: Mapping[Value, Row]) -> Node:
    """A loop that takes them itself."""
    if loop.exit_condition is not None:
        return node
    found = [_in_order(items, rows) for items in loop.given(node.args)[0]]
    if not any(found):
        return node
    indices, items, _, _ = loop.parameters()
    numbers = dict(zip(loop.indices, indices, strict=True))
    arrays: dict[Value, Value] = {}
    nodes = [*loop.body.nodes]
    nameless: dict[Value, Value] = {}
    for item, position in zip(items, found, strict=True):
        if position is not None:
            (array, axis, _), order = position
            number = numbers.setdefault(order, _index())
            inner = arrays.setdefault(array, array.twin())
            index = (*[slice(None)] * axis, number) if axis else number
            user = next((i for i, n in enumerate(nodes) if item in n.inputs), 0)
            where = nodes[user].where if nodes else None
            row = nameless[item] = replace(item, name=None, hint=item.name)
            getitem = Node(operator.getitem, (inner, index), out=row, where=where)
            nodes.insert(user, getitem)
    left = [i for i, position in enumerate(found) if position is None]
    steps = [step.with_values(nameless) for step in nodes]
    body = loop.body.with_nodes(steps, nameless)
    moved = {inner: array for array, inner in arrays.items()}
    return with_consts(node, left, moved, numbers, body)


def _index() -> Value:
    return Value((), np.dtype(np.int64), None, "float", "i")


def _in_order(
    items: Any, rows: Mapping[Value, Row]
) -> tuple[Row, tuple[int, int]] | None:
    """The first of these, if they are rows of one array: where it is, and the pace."""
    if not isinstance(items, Sequence) or len(items) < 2:
        return None
    found = [rows.get(item) if type(item) is Value else None for item in items]
    first, second = found[:2]
    if first is None or second is None:
        return None
    start, pace = first.number, second.number - first.number
    positions = [first._replace(number=start + pace * n) for n in range(len(items))]
    return (first, (start, pace)) if pace and found == positions else None
