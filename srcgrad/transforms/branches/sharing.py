"""What an arm of a branch computes that is there anyway is handed in.

>>> import numpy as np
>>> f8 = np.dtype(float)
>>> x, a, b, c, d, r, y = (Value((), f8, name, "scalar") for name in "xabcdry")
>>> t = Value((), np.dtype(bool), "t", "scalar")
>>> steps = Node(np.exp, (b,), out=c), Node(np.multiply, (c, c), out=r)
>>> branch = Branch(Graph((b,), steps, (r,)), Graph((d,), (), (d,)))
>>> nodes = Node(np.exp, (x,), out=a), Node(branch, (t, x), out=(y,))
>>> print(shared_with_arms(Graph((x, t), nodes, (y, a))))
a = exp(x)
y = branch(t, x, a)
    body(b, a_1):
        r = multiply(a_1, a_1)
        return r
    body(d, a_2):
        return d
return y, a
"""

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

from srcgrad.branches import Branch
from srcgrad.graph import Graph, Program, map_bodies
from srcgrad.steps import Guard, Node, Step, Value
from srcgrad.transforms.algebra.cse import key_of


def shared_with_arms(graph: Program) -> Program:
    """Let the arms of branches read what is computed before them."""
    known: dict[Hashable, Value] = {}
    nodes: list[Step] = []
    for step in graph.nodes:
        if step.bodies:
            step = map_bodies(shared_with_arms, step)
        if type(step) is Node and type(step.function) is Branch:
            step = _shared(step, known)
        if type(step) is Node and _is_plain(step):
            known.setdefault(key_of(step), step.results[0])
        nodes.append(step)
    if nodes == [*graph.nodes]:  # steps are equal if they are one object
        return graph
    return graph.with_nodes(nodes, {})


def _is_plain(step: Node) -> bool:
    is_one = type(step.out) is Value and type(step.function) is not Branch
    return is_one and not (step.has_effect or step.shares_memory)


def _shared(node: Node, known: Mapping[Hashable, Value]) -> Node:
    function: Any = node.function
    found = [_known_in(arm, node, known) for arm in function.bodies]
    args = list(node.args)
    more = [
        value
        for value in dict.fromkeys(v for each in found for v in each.values())
        if value not in args[1:]
    ]
    if not any(found):
        return node
    arms = []
    for arm, each in zip(function.bodies, found, strict=True):
        inputs = (*arm.inputs, *(value.twin() for value in more))
        own = dict(zip((*args[1:], *more), inputs, strict=True))
        mapping = {inner: own[outer] for inner, outer in each.items()}
        nodes = tuple(
            step.with_values(mapping)
            for step in arm.nodes
            if mapping.keys().isdisjoint(step.results)
        )
        outputs = tuple(mapping.get(value, value) for value in arm.outputs)
        arms.append(replace(arm, inputs=inputs, nodes=nodes, outputs=outputs))
    return replace(node, function=Branch(*arms), args=(*args, *more))


def _known_in(
    arm: Graph, node: Node, known: Mapping[Hashable, Value]
) -> dict[Value, Value]:
    """For values of an arm the same ones outside."""
    outer: dict[Value, Any] = dict(zip(arm.inputs, node.args[1:], strict=True))
    found: dict[Value, Value] = {}
    for step in arm.nodes:
        if type(step) is Guard or not _is_plain(step):
            continue
        if not all(isinstance(outer.get(value), Value) for value in step.inputs):
            continue
        same = known.get(key_of(step.with_values(outer)))
        (value,) = step.results
        if same is not None and same.kind == value.kind and step.inputs:
            outer[value] = found[value] = same
    return found
