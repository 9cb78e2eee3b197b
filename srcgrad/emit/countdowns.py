"""Loops that count a number down to zero: ``for ... in range(n)``, as it was meant.

>>> import numpy as np
>>> from srcgrad.loops import Ending
>>> from srcgrad.steps import Guard
>>> f8 = np.dtype(float)
>>> h, n, x, more, left, t = (Value((), f8, name) for name in "hnxmlt")
>>> nodes = (
...     Node(np.greater, (n, 0.0), out=more),
...     Guard(more, bool, True, ends=True),
...     Node(np.multiply, (h, x), out=t),
...     Node(np.subtract, (n, 1.0), out=left),
... )
>>> body, ending = Graph((h, n, x), nodes, (t, left)), Ending(counts=True)
>>> loop = Loop(body, 3, carried=2, ending=ending)
>>> out = Value((), f8, "h"), Value((), f8, "n")
>>> node, times = counted(Node(loop, (1.0, 5.0, 2.0), out=out), frozenset())
>>> print(Graph((), (node,), (out[0],)), times)
h = loop(1.0, 2.0)
    body(h_1, x):
        t = multiply(h_1, x)
        return t
return h 5.0
"""

import operator
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.graph import Graph
from srcgrad.loops import Loop
from srcgrad.steps import Node, Step, Value


def counted(node: Node, wanted: Collection[Value]) -> tuple[Node, Any]:
    """A loop without what it counts down, and from where; or itself, and None.

    ``wanted`` are the Values that something else reads.
    """
    loop: Loop = node.function  # type: ignore[assignment]
    test = loop.test
    if loop.ending is None or not loop.ending.counts or test is None:
        return node, None
    body, states, carried = loop.body, loop.parameters()[2], loop.computed()[0]
    more = _maker(body, test.value)
    read = _operand(more, (np.greater, operator.gt), 0.0)
    own = carried if loop.ending.is_last else states
    number = next((i for i, value in enumerate(own) if value is read), -1)
    if number < 0 or test.observed is not True:
        return node, None
    state, left = states[number], carried[number]
    fewer = _maker(body, left)
    if (
        _operand(fewer, (np.subtract, operator.sub), 1.0) is not state
        or _uses(body, (state, left, test.value)) != 3
        or body.outputs.count(left) + body.outputs.count(state) != 1
        or node.results[number] in wanted
    ):
        return node, None
    gone = (more, test, fewer)
    steps = tuple(step for step in body.nodes if step not in gone)
    inputs = tuple(value for value in body.inputs if value is not state)
    outputs = body.outputs[:number] + body.outputs[number + 1 :]
    shorter = replace(body, inputs=inputs, nodes=steps, outputs=outputs)
    function = replace(loop, body=shorter, carried=loop.carried - 1, ending=None)
    place = loop.each + number
    args = node.args[:place] + node.args[place + 1 :]
    out = node.results[:number] + node.results[number + 1 :]
    return replace(node, function=function, args=args, out=out), node.args[place]


def _maker(body: Graph, value: Any) -> Step | None:
    return next((step for step in body.nodes if value in step.results), None)


def _uses(body: Graph, values: Sequence[Any]) -> int:
    """How often some Values are read."""
    return sum(step.inputs.count(value) for step in body.nodes for value in values)


def _operand(
    step: Step | None, functions: tuple[Any, ...], number: float
) -> Value | None:
    """The Value in a step that is one of some functions of it and a number."""
    if not isinstance(step, Node) or step.function not in functions or step.kwargs:
        return None
    value, other = step.args
    is_number = type(other) is float and other == number
    return value if is_number and isinstance(value, Value) else None
