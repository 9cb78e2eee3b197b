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
"""

from collections import Counter
from dataclasses import replace

import numpy as np

from srcgrad.graph import Node, Program, Value
from srcgrad.updates import add_at, scatter


def add_scattered(graph: Program) -> Program:
    """Let ``add(x, scatter(g, index))`` be ``add_at(x, index, g)``."""
    uses = Counter(value for node in graph.nodes for value in node.inputs)
    uses.update(graph.results)
    scattered = {
        node.out: node
        for node in graph.nodes
        if isinstance(node, Node) and node.function is scatter
    }
    spent: set[int] = set()
    nodes = []
    for node in graph.nodes:
        if isinstance(node, Node) and node.function is np.add and not node.kwargs:
            for target, value in (node.args, node.args[::-1]):
                part = scattered.get(value)
                if (
                    part is not None
                    and uses[value] == 1
                    and _is_like(value, node.out)
                    and _is_like(target, node.out)
                ):
                    g, index, _ = part.args
                    node = replace(node, function=add_at, args=(target, index, g))
                    spent.add(id(part))
                    break
        nodes.append(node)
    if not spent:
        return graph
    return graph.with_nodes((node for node in nodes if id(node) not in spent), {})


def _is_like(operand: object, out: object) -> bool:
    """Whether an operand is an array just like the sum: nothing is broadcast."""
    return (
        isinstance(operand, Value)
        and isinstance(out, Value)
        and operand.kind == "array"
        and (operand.shape, operand.dtype) == (out.shape, out.dtype)
    )
