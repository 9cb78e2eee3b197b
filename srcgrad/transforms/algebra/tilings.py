"""Zeros that are filled part by part, until none is left: a concatenation.

The way back of ``np.concatenate`` cuts a cotangent, and the way back of that puts the
parts where they were. So does that of ``np.split``, or of an array that is taken apart.

>>> from srcgrad.graph import Graph
>>> g, h = (Value((2,), np.dtype(float), name) for name in "gh")
>>> a, dx = (Value((4,), np.dtype(float), name) for name in ("a", "dx"))
>>> nodes = (
...     Node(scatter, (g, slice(2, 4), (4,)), out=a),
...     Node(assign, (a, slice(0, 2), h), out=dx),
... )
>>> print(join_tiles(Graph((g, h), nodes, (dx,))))
dx = concatenate([h, g])
return dx

Rows are stacked only where the program does so itself: ``np.stack`` of small arrays
takes three times as long as zeros, and their assignment.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from srcgrad.graph import Program
from srcgrad.policy import MOST_PARTS
from srcgrad.steps import Node, Step, Value, values_in
from srcgrad.transforms.reading import arguments, uses
from srcgrad.updates import assign, scatter

# The formula of this pass: what stacks vectors, along which axis if that is no
# argument.
STACKING = {np.stack: None, np.vstack: 0, np.column_stack: 1}


class Tile(NamedTuple):
    """A part of an array, from ``start`` to ``stop`` along one axis.

    ``is_row``: it is one element wide there, and without that axis.
    """

    axis: int
    start: int
    stop: int
    part: Value
    is_row: bool


def join_tiles(graph: Program) -> Program:
    """Let ``assign(scatter(g, x[2:4]), x[0:2], h)`` be ``concatenate([h, g])``."""
    if scatter not in graph.functions or assign not in graph.functions:
        return graph
    made: dict[Any, Node] = {}
    for step in graph.nodes:
        if type(step) is Node and step.function in (scatter, assign):
            made[step.out] = step
    wanted = uses(graph)
    stacked = set(_stacked(graph))
    spent: set[Any] = set()
    joined: dict[Any, Node] = {}
    for out, node in made.items():
        chain = _chain(node, made, wanted) if node.function is assign else []
        call = _call(chain)
        if call and (call.function is np.concatenate or _form(call) in stacked):
            joined[out] = call
            spent.update(each.out for each in chain[1:])
    if not joined:
        return graph
    return graph.with_nodes(_replaced(graph.nodes, joined, spent), {})


def _stacked(graph: Program) -> Iterator[tuple[Any, ...]]:
    """What the program has stacked, in which form."""
    for step in graph.nodes:
        if type(step) is Node and step.function in STACKING:
            yield _form(step)


def _form(stack: Node) -> tuple[Any, ...]:
    (out,) = stack.results
    axis = arguments(stack).get("axis", STACKING[stack.function])
    return out.shape, out.dtype, axis % len(out.shape) if type(axis) is int else None


def _replaced(
    steps: tuple[Step, ...], joined: dict[Any, Node], spent: set[Any]
) -> Iterator[Step]:
    for step in steps:
        if spent.isdisjoint(step.results):
            yield joined.get(step.out, step) if type(step) is Node else step


def _chain(node: Node, made: dict[Any, Node], uses: Counter[Value]) -> list[Node]:
    """The steps that fill an array of zeros, last first; none if others see it."""
    chain = [node]
    while chain[-1].function is assign:
        array = chain[-1].args[0]
        if array not in made or uses[array] > 1 or len(chain) == MOST_PARTS:
            return []
        chain.append(made[array])
    return chain


def _call(chain: list[Node]) -> Node | None:
    """One call for all parts, if there are no more and no fewer than fill the array."""
    if not chain:
        return None
    node, out = chain[0], chain[0].out
    assert type(out) is Value
    tiles = [tile for step in chain if (tile := _tile(step, out)) is not None]
    if len(tiles) < len(chain) or len({(t.axis, t.is_row) for t in tiles}) > 1:
        return None
    tiles.sort(key=lambda tile: tile.start)
    axis = tiles[0].axis
    ends = [0, *(tile.stop for tile in tiles)]
    if [*(tile.start for tile in tiles), out.shape[axis]] != ends:
        return None
    options = {"axis": axis} if axis else {}
    parts = [tile.part for tile in tiles]
    function = np.stack if tiles[0].is_row else np.concatenate
    return replace(node, function=function, args=(parts,), kwargs=options)


def _tile(node: Node, out: Value) -> Tile | None:
    """What a step puts where, if that is all of the array but along one axis."""
    part, index = node.args[:2] if node.function is scatter else node.args[:0:-1]
    entries = index if isinstance(index, tuple) else (index,)
    if any(type(each) not in (int, slice) or any(values_in(each)) for each in entries):
        return None
    rows = [i for i, entry in enumerate(entries) if type(entry) is int]
    spans = [_span(entry, n) for entry, n in zip(entries, out.shape, strict=False)]
    whole = [range(n) for n in out.shape]
    cut = rows or [i for i, span in enumerate(spans) if span != whole[i]]
    others = [span == whole[i] for i, span in enumerate(spans) if i not in cut]
    if len(cut) != 1 or not all(others) or type(part) is not Value:
        return None
    axis, span = cut[0], spans[cut[0]]
    row = (*out.shape[:axis], *out.shape[axis + 1 :])
    is_row = part.shape == row and (bool(rows) or (len(span) == 1 and not axis))
    shape = row if is_row else (*out.shape[:axis], len(span), *out.shape[axis + 1 :])
    is_like = (part.shape, part.dtype, part.kind) == (shape, out.dtype, "array")
    if not is_like or not span or span.step != 1:
        return None
    return Tile(axis, span.start, span.stop, part, is_row)


def _span(entry: Any, n: int) -> range:
    """Which elements an index selects along an axis of a length."""
    if isinstance(entry, slice):
        return range(*entry.indices(n))
    return range(entry % n, entry % n + 1)
