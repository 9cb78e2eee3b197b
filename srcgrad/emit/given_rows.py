"""Loops that take elements of an array by their number: ``for i, j in pairs.tolist()``.

>>> import operator
>>> import numpy as np
>>> from srcgrad.graph import Graph
>>> i8 = np.dtype(int)
>>> pairs, k, i, t = (Value((), i8, name, "float") for name in ("pairs", "k", "i", "t"))
>>> rows = Value((5, 2), i8, "pairs")
>>> nodes = Node(number_at, (rows, k, 0), out=i), Node(operator.add, (t, i), out=pairs)
>>> loop = Loop(Graph((k, t, rows), nodes, (pairs,)), 5, ((0, 1),), carried=1)
>>> node, given = along_rows(Node(loop, (0, rows), out=(t,)))
>>> node.function.body.nodes == nodes[1:], node.function.indices
(True, ())
>>> given[0].items == (i, None)
True
"""

from dataclasses import replace
from typing import NamedTuple

import gast

from srcgrad.emit.literals import indexed, written
from srcgrad.emit.scope import Scope
from srcgrad.emit.syntax import attribute, call
from srcgrad.loops import Loop
from srcgrad.steps import Node, Value
from srcgrad.unboxing import number_at


class Rows(NamedTuple):
    """An array, ``part`` of which a loop goes along: what it is given of each row.

    That is one number, or several columns, of which those are None that nobody reads.
    """

    array: Value
    part: slice
    items: Value | tuple[Value | None, ...]


def along_rows(node: Node) -> tuple[Node, list[Rows]]:
    """A loop that is given such numbers, instead of taking them; and these."""
    loop: Loop = node.function  # type: ignore[assignment]
    if loop.exit_condition is not None:
        return node, []
    indices, _, _, consts = loop.parameters()
    order = dict(zip(indices, loop.indices, strict=True))
    arrays = dict(zip(consts, loop.given(node.args)[2], strict=True))
    found: dict[tuple[Value, Value], dict[int | None, Value]] = {}
    for step in loop.body.nodes:
        if type(step) is Node and step.function is number_at:
            array, number, *column = step.args
            if type(arrays.get(array)) is Value and number in order:
                own = found.setdefault((array, number), {})
                own.setdefault(column[0] if column else None, step.results[0])
    rows = [
        Rows(arrays[array], _part(*order[number], loop.count), _items(array, own))
        for (array, number), own in found.items()
    ]
    given = {value for own in found.values() for value in own.values()}
    return (_without(node, loop, given), rows) if rows else (node, [])


def _part(start: int, step: int, count: int) -> slice:
    """The rows of some iterations."""
    stop = start + step * count
    return slice(start, None if stop < 0 else stop, step)


def _items(
    array: Value, own: dict[int | None, Value]
) -> Value | tuple[Value | None, ...]:
    if None in own:
        return own[None]
    return tuple([own.get(column) for column in range(array.shape[1])])


def _without(node: Node, loop: Loop, given: set[Value]) -> Node:
    """The loop without the steps that make these, and the indices of nothing else."""
    body = loop.body
    nodes = tuple([s for s in body.nodes if given.isdisjoint(s.results)])
    read = {value for step in nodes for value in step.inputs}.union(body.outputs)
    indices, *others = loop.parameters()
    kept = {
        index: order
        for index, order in zip(indices, loop.indices, strict=True)
        if index in read
    }
    inputs = (*kept, *(value for part in others for value in part))
    shorter = replace(body, inputs=inputs, nodes=nodes)
    function = replace(loop, body=shorter, indices=tuple(kept.values()))
    return replace(node, function=function)


def rows_of(scope: Scope, rows: Rows) -> gast.expr:
    """``pairs[1:].tolist()``"""
    array, part = rows.array, rows.part
    expr = written(scope, array)
    length, is_backwards = array.shape[0], part.step < 0
    first, end = (length - 1, None) if is_backwards else (0, length)
    bounds = (
        None if part.start == first else part.start,
        None if part.stop == end else part.stop,
        None if part.step == 1 else part.step,
    )
    if bounds != (None, None, None):
        expr = indexed(scope, expr, slice(*bounds))
    return call(attribute(expr, "tolist"), [])
