"""Common subexpression elimination: what is computed twice is computed once.

>>> import numpy as np
>>> x, y, s, t, z = (Value((3,), np.dtype(float), name) for name in "xystz")
>>> nodes = (
...     Node(np.add, (x, y), out=s),
...     Node(np.add, (y, x), out=t),
...     Node(np.multiply, (s, t), out=z),
... )
>>> print(share_common_subexpressions(Graph((x, y), nodes, (z,))))
s = add(x, y)
z = multiply(s, s)
return z
"""

from collections.abc import Hashable
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from srcgrad.facts import FACTS
from srcgrad.graph import Graph, Program
from srcgrad.steps import Node, Value
from srcgrad.transforms.reading import exposed
from srcgrad.transforms.rewrite import with_nodes

# Equal values of one of these types are the same literal.
COMPARED_BY_VALUE = frozenset({str, bytes, int, bool, type, type(None), type(Ellipsis)})


def share_common_subexpressions(graph: Program) -> Program:
    """Merge equal calls, and constants of equal content.

    Arrays that the caller can see are left alone: written to, one must not change
    another, nor what was saved.
    """
    visible = exposed(graph)
    replaced = equal_constants(graph, visible)
    briefs = [(step.function, frozenset(step.inputs)) for step in graph.nodes]
    if not replaced and len(set(briefs)) == len(briefs):
        return graph
    first: dict[Hashable, Node] = {}
    # Few nodes call the same function of the same Values as another one: only these are
    # worth a key. None: the first of them has one, if it may be another one at all.
    alone: dict[Hashable, Node | None] = {}
    nodes = []
    for node in graph.nodes:
        if replaced:
            node = node.with_values(replaced)
        brief = node.function, frozenset(node.inputs)
        if type(node) is not Node:
            pass
        elif brief not in alone:
            alone[brief] = node
        elif _may_be_another(node, visible):
            other, alone[brief] = alone[brief], None
            if other is not None and _may_be_another(other, visible):
                first[key_of(other)] = other
            same = first.setdefault(key_of(node), node)
            if same is not node:
                replaced.update(zip(node.results, same.results, strict=True))
                continue
        nodes.append(node)
    return with_nodes(graph, nodes, replaced) if replaced else graph


def _may_be_another(node: Node, visible: AbstractSet[Value]) -> bool:
    """Whether another call that gives the same may do for one."""
    is_pure = node.must_run or not node.has_effect
    return is_pure and visible.isdisjoint(node.results)


def key_of(node: Node) -> Hashable:
    """The same for two calls that give the same, to the bit."""
    args: Any = tuple([a if type(a) is Value else _key(a) for a in node.args])
    if FACTS[node.function].commutes:
        for value in node.results:
            if value.dtype.kind == "c":
                break
        else:
            args = frozenset(args)
    return (node.function, args, _key(dict(node.kwargs)) if node.kwargs else None)


def _key(item: Any) -> Hashable:
    """A key for an argument: 1, 1.0 and True differ; 0.0 and -0.0; nan is itself."""
    kind = type(item)
    if kind is Value:
        return item  # type: ignore[no-any-return]
    if kind is float and item and item == item:  # as most are
        return (kind, item)
    if kind in COMPARED_BY_VALUE or isinstance(item, np.dtype):
        return (kind, item)
    if isinstance(item, (float, complex, np.generic)):
        return (kind, repr(item))
    if isinstance(item, (tuple, list)):
        return (kind, *map(_key, item))
    if isinstance(item, dict):
        return (kind, *((key, _key(value)) for key, value in item.items()))
    if isinstance(item, slice):
        return (kind, _key(item.start), _key(item.stop), _key(item.step))
    return (kind, id(item))  # the graph keeps it alive


def equal_constants(graph: Graph, visible: AbstractSet[Value]) -> dict[Value, Value]:
    """For each constant that is equal to one before it, that one."""
    first: dict[Hashable, Value] = {}
    replaced = {}
    for value, array in graph.constants.items():
        if value not in visible and not array.dtype.hasobject:
            key = (array.dtype, array.shape, value.kind, array.tobytes())
            if (same := first.setdefault(key, value)) is not value:
                replaced[value] = same
    return replaced
