"""What a loop adds to zeros, each time at another place, it puts there.

>>> f8 = np.dtype(float)
>>> x, z, dx, s, t = (Value((3,), f8, name) for name in ("x", "z", "dx", "s", "t"))
>>> i, g = Value((), np.dtype(int), "i", "float"), Value((), f8, "g", "scalar")
>>> body = Graph((i, g, s), (Node(add_at, (s, i, g), out=t),), (t,))
>>> loop = Loop(body, 3, indices=((0, 1),), xs=1, carried=1)
>>> nodes = Node(np.zeros, ((3,), f8), out=z), Node(loop, (x, z), out=(dx,))
>>> print(put_once(Graph((x,), nodes, (dx,))))
z = zeros((3,), dtype('float64'))
dx = loop(x, z)
    body(i, g, s):
        t = assign(s, i, g)
        return t
return dx

Of zeros the sign may be another.
"""

import operator
from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.graph import Graph, Program
from srcgrad.loops import Loop
from srcgrad.steps import Node, Step, Value
from srcgrad.updates import add_at, assign


def put_once(graph: Program) -> Program:
    """Let loops put what they would add to zeros, where each place has its turn."""
    if not any(type(function) is Loop for function in graph.functions):
        return graph
    zeros = {step.results[0] for step in graph.nodes if _makes_zeros(step)}
    nodes = [_put(step, zeros) for step in graph.nodes]
    if all(new is old for new, old in zip(nodes, graph.nodes, strict=True)):
        return graph
    return graph.with_nodes(nodes, {})


def _makes_zeros(step: Step) -> bool:
    """Whether it makes an array of zeros, or a list of them."""
    if type(step) is not Node:
        return False
    is_list = step.function is operator.mul and step.args[0] == [0.0]
    return is_list or step.function is np.zeros


def _put(step: Step, zeros: Collection[Value]) -> Step:
    loop = step.function if type(step) is Node else None
    if type(step) is not Node or type(loop) is not Loop or loop.exit_condition:
        return step
    indices, _, states, _ = loop.parameters()
    others = {
        index
        for index, (start, pace) in zip(indices, loop.indices, strict=True)
        if pace and min(start, start + pace * (loop.count - 1)) >= 0
    }
    body = loop.body
    first, carried = loop.given(step.args)[1], loop.computed()[0]
    for state, given, out in zip(states, first, carried, strict=True):
        if type(given) is Value and given in zeros:
            body = _with_write(body, state, out, others)
    return (
        step if body is loop.body else replace(step, function=replace(loop, body=body))
    )


def _with_write(
    body: Graph, state: Value, out: Value, others: Collection[Value]
) -> Graph:
    """The body with a write, where it adds to what is carried, and does no more."""
    users = [node for node in body.nodes if state in node.inputs]
    if len(users) != 1 or state in body.outputs:
        return body
    (node,) = users
    if type(node) is not Node or node.function is not add_at or node.out is not out:
        return body
    if node.args[0] is not state or not _is_other(node.args[1], others):
        return body
    nodes: list[Any] = [
        replace(each, function=assign) if each is node else each for each in body.nodes
    ]
    return replace(body, nodes=tuple(nodes))


def _is_other(index: Any, others: Collection[Value]) -> bool:
    """Whether an index is another one in each iteration."""
    parts = index if isinstance(index, tuple) else (index,)
    return any(type(part) is Value and part in others for part in parts)
