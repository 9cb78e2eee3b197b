"""A backward graph for some of its cotangents only: what the others lead to goes.

>>> import numpy as np
>>> f8 = np.dtype(float)
>>> names = ("h", "da", "db", "t", "u", "dx")
>>> h, da, db, t, u, dx = (Value((3,), f8, name) for name in names)
>>> nodes = (
...     Node(np.multiply, (da, 2.0), out=t),
...     Node(np.divide, (db, h), out=u),
...     Node(np.add, (t, u), out=dx),
... )
>>> both = Graph((h, da, db), nodes, (dx,))
>>> only_a, found = without_cotangents(both, present=[da], absent=[db])
>>> print(only_a)
t = multiply(da, 2.0)
return t
>>> found[dx] is t, found[u]
(True, None)

What is left out is never computed, so that neither an infinity in it nor an error comes
through. A backward graph is linear in its cotangents: without one, a sum is its other
operand, and what else needs one that is there too gets zeros, as on the tape.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from srcgrad.graph import Graph
from srcgrad.steps import Node, Step, Value
from srcgrad.transforms.reading import nodes_needed
from srcgrad.updates import add_at, scatter


def without_cotangents(
    graph: Graph, present: Iterable[Value], absent: Iterable[Value]
) -> tuple[Graph, dict[Value, Value | None]]:
    """Leave out what comes of cotangents that are not there.

    Returns
    -------
    Graph
        It has neither those inputs nor the outputs that only they lead to.
    dict
        What stands for each Value that has changed; None for those left out.
    """
    rest = _Rest(present, absent)
    for step in graph.nodes:
        rest.add(step)
    found: dict[Value, Value | None] = {**rest.changed, **dict.fromkeys(rest.gone)}
    outputs = tuple(
        new for value in graph.outputs if (new := found.get(value, value)) is not None
    )
    inputs = tuple(value for value in graph.inputs if value not in rest.gone)
    nodes = tuple(nodes_needed(rest.steps, outputs))
    return Graph(inputs, nodes, outputs, graph.constants), found


class _Rest:
    """The steps that are left, so far.

    ``reached`` are the Values that depend on cotangents that are there, ``gone`` those
    that depend on others only, ``changed`` what stands for some of the former.
    """

    def __init__(self, present: Iterable[Value], absent: Iterable[Value]) -> None:
        self.reached = set(present)
        self.gone = set(absent)
        self.changed: dict[Value, Value] = {}
        self.steps: list[Step] = []

    def add(self, step: Step) -> None:
        """Take over a step, as far as it is reached."""
        gone = self.gone.intersection(step.inputs)
        step = step.with_values(self.changed)
        is_reached = not self.reached.isdisjoint(step.inputs)
        if gone and not is_reached:
            self.gone.update(step.results)
            return
        if is_reached:
            self.reached.update(step.results)
        if gone and type(step) is Node:
            left = _without(step, gone)
            if type(left) is Value:
                self.changed[step.results[0]] = left
            else:
                self.steps += left
        else:
            self.steps.append(step)


def _without(node: Node, gone: set[Value]) -> Value | list[Step]:
    """What is left of a node without some of its inputs: steps, or another Value."""
    function, out = node.function, node.out
    assert type(out) is Value or function not in (np.add, np.subtract, add_at)
    if function in (np.add, np.subtract) and type(out) is Value:
        first, second = node.args
        rest = second if first in gone else first
        if (rest.shape, rest.dtype) == (out.shape, out.dtype):
            if function is np.subtract and first in gone:
                return [Node(np.negative, (rest,), {}, out, node.where, True)]
            return rest  # type: ignore[no-any-return]
    if function is add_at and type(out) is Value:
        target, index, g = node.args
        if g in gone:
            return target  # type: ignore[no-any-return]
        scattered = (g, index, out.shape)
        return [Node(scatter, scattered, {}, out, node.where, True)]
    zeros: list[Step] = []
    stands: dict[Value, Any] = {}
    for value in gone:
        if value.kind == "array":
            new = stands[value] = Value(value.shape, value.dtype, hint="zeros")
            args = (value.shape, value.dtype)
            zeros.append(Node(np.zeros, args, {}, new, node.where, True))
        else:
            stands[value] = value.dtype.type(0)
    return [*zeros, node.with_values(stands)]
