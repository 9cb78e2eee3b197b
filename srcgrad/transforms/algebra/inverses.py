"""What is inverted anyway, derivatives do not solve for: one inverse serves all.

>>> import numpy as np
>>> f8 = np.dtype(float)
>>> A, b, g, u, C, y = (Value((2, 2), f8, name) for name in "AbguCy")
>>> nodes = (
...     Node(np.linalg.solve, (A, b), out=u, in_backward=True),
...     Node(np.linalg.inv, (A,), out=C, in_backward=True),
...     Node(np.matmul, (u, C), out=y, in_backward=True),
... )
>>> print(use_inverses(Graph((A, b), nodes, (y,))))
t = inv(A)
u = matmul(t, b)
C = inv(A)
y = matmul(u, C)
return y
"""

import numpy as np

from srcgrad.graph import Graph, Program
from srcgrad.steps import Node, Value
from srcgrad.transforms.rewrite import Rewriter, Term, call, rewrite


def use_inverses(graph: Program) -> Program:
    """``solve(A, b) -> inv(A) @ b``, in a derivative that inverts ``A``."""
    inverted = _inverted(graph)

    def by_inverse(node: Node, _: Rewriter) -> Term | None:
        if node.function is not np.linalg.solve or not node.in_backward:
            return None
        matrix, b = node.args
        if type(matrix) is not Value or matrix not in inverted:
            return None
        assert type(node.out) is Value
        inverse = call(inverted[matrix], np.linalg.inv, Term(matrix))
        return call(node.out, np.matmul, inverse, Term.of(b))

    return rewrite(graph, by_inverse, {np.linalg.solve}) if inverted else graph


def _inverted(graph: Graph) -> dict[Value, Value]:
    """The matrices whose inverses the way back computes, with these."""
    if np.linalg.inv not in graph.functions:
        return {}
    return {
        step.args[0]: step.results[0]
        for step in graph.nodes
        if step.function is np.linalg.inv and type(step) is Node and step.in_backward
    }
