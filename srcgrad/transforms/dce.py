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

from dataclasses import replace

from srcgrad.graph import Program
from srcgrad.transforms.reading import nodes_needed


def eliminate_dead_code(graph: Program) -> Program:
    """Keep the nodes that a result depends on, and those that have an effect.

    Guards have one, random draws too. Constants that nobody reads are dropped.
    """
    nodes = nodes_needed(graph.nodes, graph.results)
    read = {value for node in nodes for value in node.inputs}.union(graph.results)
    constants = {c: array for c, array in graph.constants.items() if c in read}
    if len(nodes) == len(graph.nodes) and len(constants) == len(graph.constants):
        return graph
    return replace(graph, nodes=tuple(nodes), constants=constants)
