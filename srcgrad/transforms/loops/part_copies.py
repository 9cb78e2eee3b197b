"""A part that is read after its array has changed is copied, not the whole array.

The way back through ``out[k + 1] = f(out[k])`` takes a row, and puts zeros there: to
copy all rows for that, in each iteration, would take quadratic time.

>>> import numpy as np
>>> from srcgrad.graph import Graph
>>> from srcgrad.updates import assign
>>> f8 = np.dtype(float)
>>> s, t = Value((9, 2), f8, "s"), Value((9, 2), f8, "t")
>>> r, u, z = (Value((2,), f8, name) for name in "ruz")
>>> a, dx = Value((9, 2), f8, "a"), Value((9, 2), f8, "dx")
>>> nodes = (
...     Node(operator.getitem, (s, 3), out=r),
...     Node(assign, (s, 3, 0.0), out=t),
...     Node(np.sin, (r,), out=u),
... )
>>> loop = Loop(Graph((s,), nodes, (t, u)), 5, carried=1, last=1)
>>> graph = Graph((a,), (Node(loop, (a,), out=(dx, z)),), (dx, z))
>>> print(copy_parts(graph))
dx, z = loop(a)
    body(s):
        r = getitem(s, 3)
        r_1 = copy(r)
        t = assign(s, 3, 0.0)
        u = sin(r_1)
        return t, u
return dx, z
"""

import math
import operator
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TypeGuard

import numpy as np

from srcgrad.graph import Graph, Program
from srcgrad.loops import Loop, owned_states
from srcgrad.steps import Node, Step, Value
from srcgrad.updates import UPDATES
from srcgrad.views import is_basic


def copy_parts(graph: Program) -> Program:
    """Copy parts of what loops change in place while these are still read."""
    if not any(type(function) is Loop for function in graph.functions):
        return graph
    steps: list[Step] = []
    for step in graph.nodes:
        if type(step) is Node and type(step.function) is Loop:
            loop = step.function
            body = _with_copies(loop.body, owned_states(loop))
            if body is not loop.body:
                step = replace(step, function=replace(loop, body=body))
        steps.append(step)
    if all(new is old for new, old in zip(steps, graph.nodes, strict=True)):
        return graph
    return graph.with_nodes(steps, {})


def _with_copies(body: Graph, owned: Collection[Value]) -> Graph:
    """A body that copies them; ``owned`` are those of its inputs that are its own."""
    own = {value for step in body.nodes for value in step.results}.union(owned)
    origins = body.origins()
    own.difference_update(origins)
    last: dict[Value, int] = {}
    for position, step in enumerate(body.nodes):
        for value in step.inputs:
            last.update(dict.fromkeys(origins.get(value, (value,)), position))
    parts: set[Value] = set()
    early: dict[int, list[Node]] = {}
    for position, step in enumerate(body.nodes):
        if _is_update(step) and step.args[0] in own and last[step.args[0]] > position:
            found = _parts(body, step, position, origins)
            parts.update(part.results[0] for part in found)
            early[position] = [part for part in found if part in body.nodes[position:]]
    if not parts:
        return body
    moved = [part for after in early.values() for part in after]
    steps: list[Step] = []
    copies: dict[Value, Value] = {}
    for position, step in enumerate(body.nodes):
        for each in (*early.get(position, ()), *([] if step in moved else [step])):
            new = each.with_values(copies)
            steps.append(new)
            for value in parts.intersection(new.results):
                copies[value] = value.twin()
                steps.append(Node(np.copy, (value,), {}, copies[value], new.where))
    return body.with_nodes(steps, {})


def _is_update(step: Step) -> TypeGuard[Node]:
    if type(step) is not Node or step.function not in UPDATES:
        return False
    return type(step.args[0]) is Value and is_basic(step.args[1])


def _parts(
    body: Graph, update: Node, position: int, origins: Mapping[Value, Collection[Value]]
) -> list[Node]:
    """The steps that take parts of an array which are read when it has been changed.

    None, if more than parts is: then it is copied in any case. Those that are taken
    later can as well be taken before.
    """
    array: Value = update.args[0]
    later = body.nodes[position + 1 :]
    made = {value for step in body.nodes[position:] for value in step.results}
    makers = {value: step for step in body.nodes for value in step.results}
    taken = [step for step in later if array in step.inputs]
    if not all(_is_part(s, array) and made.isdisjoint(s.inputs) for s in taken):
        return []
    read = [value for step in (update, *later) for value in step.inputs]
    read = [
        value for value in (*read, *body.outputs) if array in origins.get(value, ())
    ]
    if array in body.outputs or update.inputs.count(array) > 1:
        return []
    found: dict[Value, Node] = {}
    for value in read:
        # A view of a part is one of its copy.
        while not _is_part(maker := makers[value], array):
            views = [v for v in maker.inputs if array in origins.get(v, ())]
            if len(views) != 1 or origins[value] != {array}:
                return []
            (value,) = views
        found[value] = maker
    return [] if found.keys() & set(body.outputs) else [*found.values()]


def _is_part(step: Step, array: Value) -> TypeGuard[Node]:
    """Whether it takes a small part of an array."""
    if type(step) is not Node or step.function is not operator.getitem:
        return False
    value = step.results[0]
    is_small = 2 * math.prod(value.shape) <= math.prod(array.shape)
    is_view = step.args[0] is array and value.kind == array.kind == "array"
    return is_view and is_small and is_basic(step.args[1])
