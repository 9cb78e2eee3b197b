"""Branches on the same test become one.

>>> import numpy as np
>>> f8 = np.dtype(float)
>>> t = Value((), np.dtype(bool), "t", "scalar")
>>> x, a, b, c, d, y, z, r = (Value((), f8, name, "scalar") for name in "xabcdyzr")
>>> squared = Graph((a,), (Node(np.multiply, (a, a), out=r),), (r,))
>>> first = Node(Branch(squared, Graph((b,), (), (b,))), (t, x), out=(y,))
>>> other = Node(Branch(Graph((c,), (), (c,)), Graph((d,), (), (d,))), (t, x), out=(z,))
>>> print(merge_branches(Graph((t, x), (first, other), (y, z))))
y, z = branch(t, x)
    body(a):
        r = multiply(a, a)
        return r, a
    body(b):
        return b, b
return y, z
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from srcgrad.branches import Branch
from srcgrad.graph import Graph, Program
from srcgrad.steps import Guard, Node, Step, Value


def merge_branches(graph: Program) -> Program:
    """Ask each test once, where what comes between two branches can come later."""
    steps = list(graph.nodes)
    position = 0
    while position < len(steps):
        merged = _merged_from(steps, position)
        steps, position = (
            (steps, position + 1) if merged is None else (merged, position)
        )
    if len(steps) == len(graph.nodes):
        return graph
    return graph.with_nodes(steps, {})


def _is_branch(step: Step) -> bool:
    return type(step) is Node and type(step.function) is Branch


def _merged_from(steps: list[Step], position: int) -> list[Step] | None:
    """The steps with the next branch on the same test in the one at a place."""
    first: Any = steps[position]
    if not _is_branch(first):
        return None
    late = set(first.results)
    after: list[Step] = []
    before: list[Step] = []
    for number, step in enumerate(steps[position + 1 :], position + 1):
        if type(step) is Guard:
            return None
        if _is_branch(step) and step.args[0] is first.args[0]:
            if not late.isdisjoint(step.inputs):
                return None
            both = _merged(first, step)
            return [*steps[:position], *before, both, *after, *steps[number + 1 :]]
        if step.has_effect:
            return None
        if late.isdisjoint(step.inputs):
            before.append(step)
        else:
            late.update(step.results)
            after.append(step)
    return None


def _merged(first: Node, other: Node) -> Node:
    one: Any = first.function
    two: Any = other.function
    test, *args = first.args
    more = [arg for arg in other.args[1:] if not _is_among(arg, args)]
    arms = []
    for own, added in zip(one.bodies, two.bodies, strict=True):
        renamed = _renamed(added, other.args[1:], args, own.inputs)
        new = [
            renamed[parameter]
            for parameter, arg in zip(added.inputs, other.args[1:], strict=True)
            if not _is_among(arg, args)
        ]
        nodes = (*own.nodes, *(step.renamed(renamed) for step in added.nodes))
        outputs = (*own.outputs, *(renamed.get(v, v) for v in added.outputs))
        constants = {**own.constants, **added.constants}
        arms.append(Graph((*own.inputs, *new), nodes, outputs, constants))
    out = (*first.results, *other.results)
    return replace(first, function=Branch(*arms), args=(test, *args, *more), out=out)


def _is_among(arg: Any, args: Sequence[Any]) -> bool:
    return type(arg) is Value and arg in args


def _renamed(
    arm: Graph, args: Sequence[Any], known: Sequence[Any], parameters: Sequence[Value]
) -> dict[Value, Value]:
    """The Values of an arm under others; what is known has a parameter already."""
    renamed = {value: value.twin() for step in arm.nodes for value in step.results}
    for parameter, arg in zip(arm.inputs, args, strict=True):
        is_known = _is_among(arg, known)
        same = parameters[known.index(arg)] if is_known else parameter.twin()
        renamed[parameter] = same
    return renamed
