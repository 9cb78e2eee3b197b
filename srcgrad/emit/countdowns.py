"""Loops that count a number down to zero: ``for ... in range(n)``, as it was meant.

>>> import numpy as np
>>> from srcgrad.graph import Graph
>>> f8 = np.dtype(float)
>>> h, n, x, more, left, t = (Value((), f8, name) for name in "hnxmlt")
>>> nodes = (
...     Node(np.greater, (n, 0.0), out=more),
...     Guard(more, bool, True, ends=True),
...     Node(np.multiply, (h, x), out=t),
...     Node(np.subtract, (n, 1.0), out=left),
... )
>>> loop = Loop(Graph((h, n, x), nodes, (t, left)), 3, carried=2, ending=Ending())
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
from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.loops import Ending, Loop
from srcgrad.steps import Guard, Node, Step, Value


def counted(node: Node, wanted: Collection[Value]) -> tuple[Node, Any]:
    """A loop without what it counts down, and from where; or itself, and None.

    ``wanted`` are the Values that something else reads.
    """
    loop: Loop = node.function  # type: ignore[assignment]
    if loop.ending != Ending() or loop.is_reversed or len(loop.body.nodes) < 3:
        return node, None
    body = loop.body
    first, test, *rest = body.nodes
    if not isinstance(test, Guard) or not test.ends or test.observed is not True:
        return node, None
    state = _operand(first, (np.greater, operator.gt), 0.0)
    if state is None or test.value is not first.results[0]:
        return node, None
    states, carried = loop.parameters()[2], loop.computed()[0]
    number = states.index(state) if state in states else -1
    fewer = next((s for s in rest if carried[number] in s.results), first)
    if (
        number < 0
        or _operand(fewer, (np.subtract, operator.sub), 1.0) is not state
        or sum(s.inputs.count(v) for s in body.nodes for v in (state, test.value)) != 3
        or any(carried[number] in step.inputs for step in rest)
        or body.outputs.count(carried[number]) + body.outputs.count(state) != 1
        or node.results[number] in wanted
    ):
        return node, None
    steps = tuple(step for step in rest if step is not fewer)
    inputs = tuple(value for value in body.inputs if value is not state)
    outputs = body.outputs[:number] + body.outputs[number + 1 :]
    shorter = replace(body, inputs=inputs, nodes=steps, outputs=outputs)
    function = replace(loop, body=shorter, carried=loop.carried - 1, ending=None)
    place = loop.each + number
    args = node.args[:place] + node.args[place + 1 :]
    out = node.results[:number] + node.results[number + 1 :]
    return replace(node, function=function, args=args, out=out), node.args[place]


def _operand(step: Step, functions: tuple[Any, ...], number: float) -> Value | None:
    """The Value in a step that is one of some functions of it and a number."""
    if not isinstance(step, Node) or step.function not in functions or step.kwargs:
        return None
    value, other = step.args
    is_number = type(other) is float and other == number
    return value if is_number and isinstance(value, Value) else None
