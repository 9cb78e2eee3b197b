"""Sums of scattered cotangents: each adds into the array before it.

``x[1:] - x[:-1]`` gives two cotangents that are zero outside their part. Instead of two
arrays of zeros and their sum there is one, into which the second is added.

>>> import numpy as np
>>> from srcgrad.graph import Graph
>>> g, h = (Value((2,), np.dtype(float), name) for name in "gh")
>>> a, b, dx = (Value((3,), np.dtype(float), name) for name in ("a", "b", "dx"))
>>> nodes = (
...     Node(scatter, (g, slice(None, -1), (3,)), out=a),
...     Node(scatter, (h, slice(1, None), (3,)), out=b),
...     Node(np.add, (a, b), out=dx),
... )
>>> print(add_scattered(Graph((g, h), nodes, (dx,))))
a = scatter(g, slice(None, -1, None), (3,))
dx = add_at(a, slice(1, None, None), h)
return dx

What is added where there are only zeros is put there itself: ``x[0] *= 2.0`` gives such
a sum, and so do the parts of an array that is taken apart. Of zeros the sign may be
another.
"""

import operator
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.graph import Graph, Program
from srcgrad.policy import MOST_PARTS
from srcgrad.steps import Guard, Node, Step, Value, values_in
from srcgrad.transforms.reading import decisive, exposed, uses
from srcgrad.transforms.rewrite import with_nodes
from srcgrad.updates import add_at, assign, scatter
from srcgrad.views import is_basic


def add_scattered(graph: Program) -> Program:
    """Let ``add(x, scatter(g, index))`` be ``add_at(x, index, g)``."""
    if graph.functions.isdisjoint(PUTTING):
        return graph
    sums = _Sums(graph)
    nodes: list[Step] = []
    for node in graph.nodes:
        if sums.replaced:
            node = node.with_values(sums.replaced)
        if type(node) is Node and node.function is np.add and not node.kwargs:
            node = sums.taken_apart(node)
        if type(node) is Node and node.function in TERMS:
            sums.made[node.out] = node
        nodes.append(node)
    if not sums.spent:
        return graph
    kept = [node for node in nodes if type(node) is Guard or node.out not in sums.spent]
    return with_nodes(graph, kept, sums.replaced)


class _Sums:
    """What is known of the terms of sums, and what has become of them.

    ``spent`` are the results that no node has to compute any more.
    """

    def __init__(self, graph: Graph) -> None:
        self.uses = uses(graph)
        self.made: dict[Any, Node] = {}
        self.constants = graph.constants
        # No sum is written in another way if the signs of its zeros matter.
        self.fixed = decisive(graph)
        self.visible = exposed(graph)
        self.spent: set[Value] = set()
        self.replaced: dict[Value, Value] = {}

    def taken_apart(self, node: Node) -> Node:
        """A sum as an update of one term by the other, if that is scattered."""
        for target, value in (node.args, node.args[::-1]):
            if value not in self.made:
                continue
            part = self.made[value]
            if (
                part.function is scatter
                and self.uses[value] == 1
                and node.out not in self.fixed
                and _is_like(value, node.out)
                and _is_like(target, node.out)
            ):
                self.spent.add(value)
                g, index, _ = part.args
                return self.put_down(
                    replace(node, function=add_at, args=(target, index, g))
                )
            if part.function is assign:
                both = self.put_over(target, value, part)
                if both is not None and node.out not in self.fixed:
                    self.spent.update((target, value))
                    return replace(node, function=assign, args=both)
        return node

    def put_over(self, target: Any, value: Any, part: Node) -> tuple[Any, ...] | None:
        """What is put among zeros, and added where zero was just put: there at once.

        That is the tangent of ``x[index] = value``, where the index may repeat.
        """
        zeroed, (zeros, index, new) = self.made.get(target), part.args
        if zeroed is None or not _puts_zero(zeroed, index, _is_one):
            return None
        if self.uses[target] > 1 or self.uses[value] > 1:
            return None
        constant = self.constants.get(zeros)
        is_like = _is_like(target, value) and _is_like(zeros, value)
        if not is_like or constant is None or np.any(constant):
            return None
        return zeroed.args[0], index, new

    def put_down(self, node: Node) -> Node:
        """What is added where zero was just put, as an assignment."""
        target, index, g = node.args
        if self.is_zero(target, index):
            return replace(node, function=assign)
        zeroed = self.made.get(target)
        if zeroed is None or self.uses[target] > 1 or not _puts_zero(zeroed, index):
            return node
        x = zeroed.args[0]
        self.spent.add(target)
        if self.is_there(x, index, g) and node.results[0] not in self.visible:
            self.spent.add(node.results[0])
            self.replaced[node.results[0]] = x
        return replace(node, function=assign, args=(x, index, g))

    def is_zero(self, target: Any, index: Any) -> bool:
        """Whether no part that was put into an array of zeros reaches to an index."""
        for _ in range(MOST_PARTS):
            node = self.made.get(target)
            if node is None or node.function is operator.getitem:
                return False
            is_first = node.function is scatter
            other = node.args[1]
            if not are_apart(index, other, target.shape):
                return False
            if is_first:
                return True
            target = node.args[0]
        return False

    def is_there(self, x: Value, index: Any, g: Any) -> bool:
        """Whether ``x[index]`` is ``g`` already."""
        node = self.made.get(g)
        if node is None or node.function is not operator.getitem:
            return False
        source, at = node.args
        return source is x and _is_same(at, index)


PUTTING = frozenset({scatter, assign})
TERMS = frozenset({scatter, assign, add_at, operator.getitem})


def are_apart(index: Any, other: Any, shape: tuple[int, ...]) -> bool:
    """Whether it is plain that two indices select different elements."""
    pairs = zip(_spans(index, shape), _spans(other, shape), strict=False)
    return any(a.stop <= b.start or b.stop <= a.start for a, b in pairs)


def _spans(index: Any, shape: tuple[int, ...]) -> Iterator[range]:
    """For the first axes between which elements an index selects."""
    entries = index if isinstance(index, tuple) else (index,)
    for entry, size in zip(entries, shape, strict=False):
        if isinstance(entry, slice) and not any(values_in(entry)):
            chosen = range(*entry.indices(size))
            first, last = sorted((chosen[0], chosen[-1])) if chosen else (0, -1)
            yield range(first, last + 1)
        elif isinstance(entry, (int, np.integer)) and not isinstance(entry, bool):
            yield range(entry % size, entry % size + 1)
        else:
            return


def _puts_zero(
    node: Node, at: Any, is_same: Callable[[Any, Any], bool] | None = None
) -> bool:
    """Whether a node puts zero at an index: a basic one, unless told otherwise."""
    if node.function is not assign:
        return False
    _, index, value = node.args
    return (
        (is_same or _is_same)(index, at)
        and type(value) is not Value
        and bool(np.ndim(value) == 0 and value == 0)
    )


def _is_same(index: Any, other: Any) -> bool:
    """Whether two indices are one, and select each element once: basic, or a mask."""
    if type(index) is Value:
        return index is other and index.dtype.kind == "b"
    if not (is_basic(index) and is_basic(other)):
        return False
    # As tuples: NumPy compares its integers with each element of one.
    parts, others = (i if isinstance(i, tuple) else (i,) for i in (index, other))
    return parts == others


def _is_one(index: Any, other: Any) -> bool:
    """Whether two indices are one, of whatever kind."""
    if type(index) is Value or type(index) is not type(other):
        return index is other
    if isinstance(index, (tuple, list)):
        pairs = zip(index, other, strict=False)
        return len(index) == len(other) and all(_is_one(*pair) for pair in pairs)
    return not isinstance(index, np.ndarray) and bool(index == other)


def _is_like(operand: object, out: object) -> bool:
    """Whether an operand is an array just like the sum: nothing is broadcast."""
    return (
        type(operand) is Value
        and type(out) is Value
        and operand.kind == out.kind == "array"
        and (operand.shape, operand.dtype) == (out.shape, out.dtype)
    )
