"""Dead code elimination.

>>> import numpy as np
>>> from srcgrad.graph import Graph
>>> from srcgrad.steps import Node, Value
>>> x, h, t, y = (Value((3,), np.dtype(float), name) for name in "xhty")
>>> nodes = (
...     Node(np.tanh, (x,), out=h),
...     Node(np.exp, (x,), out=t),
...     Node(np.multiply, (h, h), out=y),
... )
>>> print(eliminate_dead_code(Graph((x,), nodes, (y,))))
h = tanh(x)
y = multiply(h, h)
return y
"""

import operator
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import chain
from typing import Any, TypeGuard

from srcgrad.graph import Graph, Program
from srcgrad.steps import Node, Step, Value
from srcgrad.transforms.algebra.raising import puts_floats_among_integers
from srcgrad.transforms.reading import INPUTS, nodes_needed
from srcgrad.updates import assign


def eliminate_dead_code(graph: Program) -> Program:
    """Keep the nodes that a result depends on, and those that have an effect.

    Guards have one, random draws too. Constants that nobody reads are dropped. A store
    that nobody reads, and that may be out of bounds, becomes a look at the element.
    """
    nodes = nodes_needed(graph.nodes, graph.results)
    if assign in graph.functions:
        read = _read(nodes, graph)
        nodes = [_looked_up(n) if _is_in_vain(n, read) else n for n in nodes]
    constants = graph.constants
    if constants:
        read = _read(nodes, graph)
        constants = {c: array for c, array in constants.items() if c in read}
    # Steps are equal if they are one object.
    if (*nodes,) == graph.nodes and len(constants) == len(graph.constants):
        return graph
    return replace(graph, nodes=tuple(nodes), constants=constants)


def _read(nodes: list[Step], graph: Graph) -> set[Value]:
    return set(graph.results).union(chain.from_iterable(map(INPUTS, nodes)))


def _is_in_vain(node: Step, read: AbstractSet[Value]) -> TypeGuard[Node]:
    """Whether a store that nobody reads runs only because it may be out of bounds."""
    if type(node) is not Node or node.function is not assign or not node.must_run:
        return False
    x, index, _ = node.args
    parts = index if isinstance(index, tuple) else (index,)
    is_number = all(_is_whole(part) for part in parts)
    is_apart = type(x) is Value and read.isdisjoint(node.results)
    return is_apart and is_number and not puts_floats_among_integers(node)


def _is_whole(part: Any) -> bool:
    if type(part) is Value:
        return part.kind in ("scalar", "float") and part.dtype.kind in "iu"
    return type(part) is int


def _looked_up(node: Node) -> Node:
    """The element of the array at the index of a store: the same error, no copy."""
    x, index, _ = node.args
    parts = index if isinstance(index, tuple) else (index,)
    out = Value(x.shape[len(parts) :], x.dtype)
    if not out.shape:
        out = Value((), x.dtype, kind="scalar")
    return replace(node, function=operator.getitem, args=(x, index), out=out)
