"""Hoisting: loop-invariant code is computed once, before the loop.

>>> import operator
>>> import numpy as np
>>> from srcgrad.graph import Graph
>>> f8 = np.dtype(float)
>>> p, h, k, g, t = (Value((), f8, name) for name in "phkgt")
>>> q, a = Value((2,), f8, "q"), Value((2,), f8, "a")
>>> nodes = (
...     Node(operator.getitem, (q, 0), out=k),
...     Node(np.multiply, (g, k), out=t),
... )
>>> loop = Loop(Graph((g, q), nodes, (t,)), 9, carried=1)
>>> graph = Graph((a, p), (Node(loop, (p, a), out=(h,)),), (h,))
>>> print(hoisted(graph, {}))
k = getitem(a, 0)
h = loop(p, k)
    body(g, k_1):
        t = multiply(g, k_1)
        return t
return h

Only what raises nothing, and signals nothing, may run earlier, and where it would not
run at all.
"""

from collections.abc import Collection, Hashable, Mapping, MutableMapping, Sequence
from dataclasses import replace
from typing import Any, TypeGuard

from srcgrad.facts import facts_of
from srcgrad.graph import Program, map_bodies
from srcgrad.loops import Loop
from srcgrad.steps import Node, Step, Value, element_name
from srcgrad.transforms.algebra.cse import key_of
from srcgrad.transforms.algebra.raising import may_raise, may_signal
from srcgrad.transforms.loops.loop_bodies import with_consts


def hoisted(graph: Program, raws: MutableMapping[Value, Any]) -> Program:
    """Move what does not depend on the iteration out of loops, the inner ones first.

    ``raws`` has what Values stood for; what is moved has Values of its own.
    """
    if not graph.has_bodies:
        return graph
    steps: list[Step] = []
    same: dict[Value, Any] = {}
    for step in graph.nodes:
        step = map_bodies(lambda body: hoisted(body, raws), step.with_values(same))
        if type(step) is Node and type(step.function) is Loop:
            steps += _apart(_with_common(step, step.function), raws, same)
        else:
            steps.append(step)
    if all(new is old for new, old in zip(steps, graph.nodes, strict=False)):
        return graph
    values = {old: new for old, new in same.items() if type(new) is Value}
    return graph.with_nodes(steps, values)


def _with_common(node: Node, loop: Loop) -> Node:
    """A loop in which xs whose items are all the same are consts."""
    common = [_common(items) for items in loop.given(node.args)[0]]
    if not any(common):
        return node
    items = loop.parameters()[1]
    left = [i for i, value in enumerate(common) if value is None]
    moved = {item: v for item, v in zip(items, common, strict=True) if v is not None}
    return with_consts(node, left, moved)


def _common(items: Any) -> Value | None:
    """What all items are."""
    if not isinstance(items, tuple) or type(items[0]) is not Value:
        return None
    return items[0] if all(item is items[0] for item in items) else None


def _apart(
    node: Node, raws: MutableMapping[Value, Any], same: dict[Value, Any]
) -> Sequence[Step]:
    """What comes before a loop now, and the loop.

    ``same`` gets what is computed before it, for results of the loop.
    """
    loop: Loop = node.function  # type: ignore[assignment]
    body, parameters = loop.body, loop.parameters()[3]
    outer = dict(zip(parameters, loop.given(node.args)[2], strict=True))
    stays = set(loop.computed()[0])
    if loop.exit_condition is not None:
        stays.update(body.outputs)
    before: list[Step] = []
    rest: list[Step] = []
    found: dict[Hashable, Value] = {}
    again: dict[Value, Value] = {}
    for each in body.nodes:
        step = each.with_values(again)
        if not _may_move(step, outer) or not stays.isdisjoint(step.results):
            rest.append(step)
            continue
        value = step.results[0]
        first = found.setdefault(key_of(step), value)
        if first is not value:
            again[value], outer[value] = first, outer[first]
            continue
        step = step.with_values(outer)
        hint = value.hint or element_name(step)
        moved = outer[value] = replace(value, hint=hint)
        if value in raws:
            raws[moved] = raws[value]
        before.append(replace(step, out=moved))
    if not before:
        return [node]
    return [*before, _with_less(node, rest, outer, same)]


def _with_less(
    node: Node,
    steps: Sequence[Step],
    outer: Mapping[Value, Value],
    same: MutableMapping[Value, Any],
) -> Node:
    """The loop with other steps, for which it is given what they read of ``outer``."""
    loop: Loop = node.function  # type: ignore[assignment]
    carried, last, ys, lists = loop.computed()
    done, ends, items, wholes = loop.results(node.results)
    same.update(
        (out, outer[v]) for v, out in zip(last, ends, strict=True) if v in outer
    )
    ends = [out for v, out in zip(last, ends, strict=True) if v not in outer]
    left: list[Value] = []
    for value, each in zip(ys, loop.items_of(items), strict=True):
        if value in outer:
            same.update(dict.fromkeys(each, outer[value]))
        else:
            left += each
    for value, whole in zip(lists, wholes, strict=True):
        if value in outer:
            same[whole] = (outer[value],) * loop.count
    wholes = [w for v, w in zip(lists, wholes, strict=True) if v not in outer]
    last, ys, lists = (
        [value for value in part if value not in outer] for part in (last, ys, lists)
    )
    outputs = *carried, *last, *ys, *lists
    read = {value for step in steps for value in step.inputs}.union(outputs)
    consts = [value for value in outer if value in read]
    others = len(loop.parameters()[3])
    inputs = *loop.body.inputs[: len(loop.body.inputs) - others], *consts
    args = *node.args[: len(node.args) - others], *map(outer.__getitem__, consts)
    body = replace(loop.body, inputs=inputs, nodes=tuple(steps), outputs=outputs)
    function = replace(loop, body=body, last=len(last), ys=len(ys), lists=len(lists))
    return replace(
        node, function=function, args=args, out=(*done, *ends, *left, *wholes)
    )


def _may_move(step: Step, consts: Collection[Value]) -> TypeGuard[Node]:
    """Whether a step does the same in all iterations, and as well before them."""
    if type(step) is not Node or type(step.out) is not Value:
        return False
    if not step.inputs or not all(value in consts for value in step.inputs):
        return False
    known = facts_of(step.function)
    if known.effect or step.must_run or step.bodies:
        return False
    if known.view == "whole":  # `W.T` takes no time, and reads well where it stands
        return False
    return not (may_raise(step) or may_signal(step))
