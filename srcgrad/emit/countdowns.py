"""Loops that count a number down to zero: ``for ... in range(n)``, as it was meant.

>>> import numpy as np
>>> from srcgrad.graph import Graph
>>> from srcgrad.loops import ExitCondition
>>> from srcgrad.steps import Guard
>>> f8 = np.dtype(float)
>>> h, n, x, more, left, t = (Value((), f8, name) for name in "hnxmlt")
>>> nodes = (
...     Node(np.greater, (n, 0.0), out=more),
...     Guard(more, bool, True, ends=True),
...     Node(np.multiply, (h, x), out=t),
...     Node(np.subtract, (n, 1.0), out=left),
... )
>>> body, test = Graph((h, n, x), nodes, (t, left)), ExitCondition(counts=True)
>>> loop = Loop(body, 3, carried=2, exit_condition=test)
>>> out = Value((), f8, "h"), Value((), f8, "n")
>>> node, times = counted(Node(loop, (1.0, 5.0, 2.0), out=out), frozenset())
>>> print(Graph((), (node,), (out[0],)), times)
h = loop(1.0, 2.0)
    body(h_1, x):
        t = multiply(h_1, x)
        return t
return h 5.0
"""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from srcgrad.loops import Loop
from srcgrad.steps import Node, Value


def counted(node: Node, wanted: Collection[Value]) -> tuple[Node, Any]:
    """A loop without what it counts down, and from where; or itself, and None.

    ``wanted`` are the Values that something else reads.
    """
    loop: Loop = node.function  # type: ignore[assignment]
    number, test = loop.countdown, loop.test
    if number is None or test is None or node.results[number] in wanted:
        return node, None
    body = loop.body
    state, left = loop.parameters()[2][number], loop.computed()[0][number]
    gone = {left, test.value}
    steps = tuple(s for s in body.nodes if s is not test and gone.isdisjoint(s.results))
    inputs = tuple(value for value in body.inputs if value is not state)
    outputs = body.outputs[:number] + body.outputs[number + 1 :]
    shorter = replace(body, inputs=inputs, nodes=steps, outputs=outputs)
    function = replace(
        loop, body=shorter, carried=loop.carried - 1, exit_condition=None
    )
    position = loop.xs + number
    args = node.args[:position] + node.args[position + 1 :]
    out = node.results[:number] + node.results[number + 1 :]
    return replace(node, function=function, args=args, out=out), node.args[position]
