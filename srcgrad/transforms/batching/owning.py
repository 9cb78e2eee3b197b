"""What ``np.stack`` would have copied: results in memory of their own.

>>> import numpy as np
>>> from srcgrad.steps import Node, Value
>>> x, y = (Value((3, 2), np.dtype(float), name) for name in "xy")
>>> graph = Graph((x,), (Node(np.exp, (x,), out=y),), (x, y, y))
>>> print(own_outputs(graph))
y = exp(x)
t = copy(x)
t_1 = copy(y)
return t, y, t_1
"""

import numpy as np

from srcgrad.facts import facts_of
from srcgrad.graph import Graph
from srcgrad.steps import Node, Value


def own_outputs(graph: Graph) -> Graph:
    """Copy what is in somebody else's memory, or in that of another output."""
    origins = graph.origins()
    taken = set(graph.given)
    fixed: set[Value] = set()
    for node in graph.nodes:
        is_view = node.shares_memory and not fixed.isdisjoint(node.inputs)
        if type(node) is Node and (is_view or _is_fixed(node)):
            fixed.update(node.results)
    copies: list[Node] = []
    outputs = []
    for value in graph.outputs:
        memory = origins.get(value, {value})
        if not taken.isdisjoint(memory) or value in fixed:
            copy = Value(value.shape, value.dtype)
            copies.append(Node(np.copy, (value,), out=copy))
            outputs.append(copy)
        else:
            outputs.append(value)
        taken |= memory
    nodes = (*graph.nodes, *copies)
    return Graph(graph.inputs, nodes, tuple(outputs), graph.constants)


def _is_fixed(node: Node) -> bool:
    """Whether one cannot write to its result, or into one element alone."""
    return facts_of(node.function).view == "fixed"
