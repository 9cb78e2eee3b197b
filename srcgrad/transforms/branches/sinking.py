"""Code sinking: what only one arm of a branch needs is computed in that arm.

The gradient flows back to an argument of a branch through the arm that ran. Where that
arm does not read the argument, nothing flows: which is not the same as zero, for zero
times an infinite derivative is NaN. So what computes such an argument goes into the
arms, its derivative with it.

>>> import numpy as np
>>> f8 = np.dtype(float)
>>> x, a, r, s, b, c, y = (Value((), f8, name, "scalar") for name in "xarsbcy")
>>> t = Value((), np.dtype(bool), "t", "scalar")
>>> then = Graph((b,), (Node(np.multiply, (b, b), out=r),), (r,))
>>> orelse = Graph((c,), (Node(np.add, (1.0, 2.0), out=s),), (s,))
>>> steps = Node(np.sqrt, (x,), out=a), Node(Branch(then, orelse), (t, a), out=(y,))
>>> print(sunk(Graph((x, t), steps, (y,)), {y}, {x}, {}))
a = sqrt(x)
y = branch(t, x)
    body(x_1):
        b = sqrt(x_1)
        r = multiply(b, b)
        return r
    body(x_2):
        s = add(1.0, 2.0)
        return s
return y
"""

import itertools
from collections.abc import Collection, Iterable, Mapping, MutableMapping
from dataclasses import replace
from typing import Any

from srcgrad.branches import Branch
from srcgrad.facts import FACTS
from srcgrad.graph import Graph, Program, walk
from srcgrad.loops import Loop
from srcgrad.policy import MOST_MOVED
from srcgrad.steps import Guard, Node, Step, Value
from srcgrad.transforms.branches.depending import (
    depending,
    ends_of,
    is_number,
    is_value,
    live_in,
    live_states,
)


class AbsentError(Exception):
    """Nothing may flow back to something that cannot go into an arm."""


def reached(graph: Graph, roots: Iterable[Value], always: bool) -> set[Value]:
    """The values to which a gradient flows from some: whichever arms run, or ever."""
    found = {value for value in roots if is_number(value)}
    for step in reversed(graph.nodes):
        if type(step) is Guard or found.isdisjoint(step.results):
            continue
        found.update(filter(is_number, _reached_by(step, found, always)))
    return found


def _reached_by(node: Node, found: Collection[Value], always: bool) -> Iterable[Value]:
    function: Any = node.function
    if type(function) is Branch:
        arms = [_reached_in(arm, node, found, always) for arm in function.bodies]
        both = set.intersection(*arms) if always else set.union(*arms)
        return [v for i, v in enumerate(node.args[1:]) if i in both and is_value(v)]
    if type(function) is Loop:
        return _reached_by_loop(function, node, found, always)
    jumps = FACTS[function].steps or not any(map(is_number, node.results))
    return () if jumps and always else node.inputs


def _reached_in(
    arm: Graph, node: Node, found: Collection[Value], always: bool
) -> set[int]:
    pairs = zip(node.results, arm.outputs, strict=True)
    inside = reached(arm, [own for result, own in pairs if result in found], always)
    return {number for number, value in enumerate(arm.inputs) if value in inside}


def _reached_by_loop(
    loop: Loop, node: Node, found: Collection[Value], always: bool
) -> Iterable[Value]:
    inside, _ = _inside_loop(loop, node, found, always)
    _, items, states, consts = loop.parameters()
    xs, first, outer = loop.given(node.args)
    for parameter, arg in zip(
        (*items, *states, *consts), (*xs, *first, *outer), strict=True
    ):
        if parameter in inside:
            args = arg if isinstance(arg, (tuple, list)) else (arg,)
            yield from filter(is_value, args)


def _inside_loop(
    loop: Loop, node: Node, found: Collection[Value], always: bool
) -> tuple[set[Value], set[Value]]:
    """What is reached in the body of a loop, and from which of its outputs."""
    outputs, results = loop.computed(), loop.results(node.results)
    roots = set[Value]()
    for own, value in zip((*outputs[0], *outputs[1]), node.results, strict=False):
        roots.update({own} if value in found else ())
    for own, items in zip(outputs[2], loop.items_of(results[2]), strict=True):
        roots.update({own} if any(item in found for item in items) else ())
    states = loop.parameters()[2]
    while True:
        inside = reached(loop.body, roots, always)
        pairs = zip(states, outputs[0], strict=True)
        more = {value for state, value in pairs if state in inside} - roots
        if not more:
            break
        roots |= more
    return inside, roots


def sunk(
    graph: Program,
    roots: Collection[Value],
    active: Collection[Value],
    raws: MutableMapping[Value, Any],
    others: Collection[Value] = (),
) -> Program:
    """The graph with nothing to flow through branches that may not flow.

    ``roots`` are where gradients come from, ``active`` the inputs that they are for: a
    zero does no harm there. ``raws`` has what some Values stood for in the run; those
    of arms are added. From ``others`` gradients may come, too.

    Raises
    ------
    AbsentError
        If that cannot be.
    """
    if not graph.has_bodies:
        return graph
    live = depending(graph, active)
    ends = ends_of(graph, active, live)
    ever = reached(graph, {*roots, *others}, False)
    always = reached(graph, roots, True)
    nodes = [_inside(step, live, raws, always, ever) for step in graph.nodes]
    made = {v: position for position, step in enumerate(nodes) for v in step.results}
    for moved in itertools.count():
        if nodes != [*graph.nodes]:  # steps are equal if they are one object
            graph = graph.with_nodes(nodes, {})
            ever = reached(graph, {*roots, *others}, False)
            always = reached(graph, roots, True)
        given = live - always - ends
        found = [
            (made.get(value, -1), position, number)
            for position, step in enumerate(nodes)
            if type(step) is Node and type(step.function) is Branch
            for number in _in_one_arm(step, always, ever)
            if (value := step.args[1 + number]) in given
        ]
        if not found:
            break
        # The last one first: then what that is made of may be reached in both arms.
        maker, position, number = max(found)
        if maker < 0 or moved == MOST_MOVED:
            raise AbsentError
        new = _with_maker(nodes[position], number, nodes[maker], raws)
        # In the arms it may be read in one arm only, too.
        nodes[position] = _inside(new, live, raws, always, ever)
    for step in nodes:
        if type(step) is Node and type(step.function) is Loop:
            _check_loop(step, always, live, live - ends)
    return graph


def _inside(
    step: Step,
    live: Collection[Value],
    raws: MutableMapping[Value, Any],
    always: Collection[Value],
    ever: Collection[Value],
) -> Step:
    """A step with the same done in its bodies."""
    if type(step) is Guard or not step.bodies:
        return step
    function: Any = step.function
    bodies = tuple(
        sunk(
            body,
            _roots_in(body, step, always, True),
            live_in(body, step, live),
            raws,
            _roots_in(body, step, ever, False),
        )
        for body in function.bodies
    )
    if all(new is old for new, old in zip(bodies, function.bodies, strict=True)):
        return step
    return replace(step, function=function.with_bodies(bodies))


def _roots_in(
    body: Graph, node: Node, found: Collection[Value], always: bool
) -> set[Value]:
    """The outputs of a body from which gradients come."""
    if type(node.function) is Loop:
        return _inside_loop(node.function, node, found, always)[1]
    pairs = zip(node.results, body.outputs, strict=True)
    return {own for result, own in pairs if result in found}


def _in_one_arm(
    node: Node, always: Collection[Value], ever: Collection[Value]
) -> list[int]:
    """The arguments that may get a gradient from a branch, or none."""
    function: Any = node.function
    found = set[int]().union(
        *(_reached_in(arm, node, ever, False) for arm in function.bodies)
    )
    arms = [_reached_in(arm, node, always, True) for arm in function.bodies]
    return [
        number
        for number in sorted(found.difference(arms[0] & arms[1]))
        if is_value(node.args[1 + number]) and is_number(node.args[1 + number])
    ]


def _check_loop(
    node: Node,
    always: Collection[Value],
    live: Collection[Value],
    inner: Collection[Value],
) -> None:
    """What a loop hands back, or not, must not go on as a zero."""
    loop: Any = node.function
    body = loop.body
    if not any(type(s) is Node and type(s.function) is Branch for s in walk(body)):
        return
    # The way back carries zeros where nothing flows: here that may matter.
    _, roots = _inside_loop(loop, node, always, True)
    _, items, states, consts = loop.parameters()
    carried = dict(zip(states, loop.computed()[0], strict=True))
    flowing = live_states(loop, node, live)
    ever = reached(body, body.outputs, False)
    inside = _inside_each(body, carried, roots)
    own = live_in(body, node, live)
    ends = ends_of(body, own, depending(body, own))
    for state in flowing:
        # To what gets nothing else a zero goes on from iteration to iteration.
        if carried[state] not in inside and carried[state] not in ends:
            raise AbsentError
    xs, first, outer = loop.given(node.args)
    parameters, given = (*items, *states, *consts), (*xs, *first, *outer)
    for parameter, arg in zip(parameters, given, strict=True):
        if parameter in ever and parameter not in inside:
            args = arg if isinstance(arg, (tuple, list)) else (arg,)
            values = [value for value in args if is_value(value)]
            if any(value in inner and value not in always for value in values):
                raise AbsentError


def _inside_each(
    body: Graph, carried: Mapping[Value, Value], roots: Collection[Value]
) -> set[Value]:
    """What is reached in each iteration, the last one or not, from some outputs.

    What is carried out of another one is, if the next one reaches what it carries in.
    """
    while True:
        inside = reached(body, roots, True)
        lost = {
            value
            for state, value in carried.items()
            if value in roots and state not in inside
        }
        if not lost:
            return inside
        roots = {*roots} - lost


def _with_maker(
    node: Any, number: int, maker: Step, raws: MutableMapping[Value, Any]
) -> Node:
    """A branch that computes an argument in its arms."""
    if type(maker) is not Node or maker.bodies or maker.has_effect:
        raise AbsentError
    if type(maker.out) is not Value or maker.shares_memory:
        raise AbsentError
    args = list(node.args[1:])
    del args[number]
    more = [v for v in dict.fromkeys(maker.inputs) if v not in args]
    arms = []
    for arm in node.function.bodies:
        inputs = list(arm.inputs)
        own = inputs.pop(number)
        fresh = {value: value.twin() for value in more}
        known = {
            arg: own for arg, own in zip(args, inputs, strict=True) if is_value(arg)
        }
        raws.update({new: raws.get(old) for old, new in fresh.items()})
        made = replace(maker.with_values({**known, **fresh}), out=own)
        is_read = any(own in step.inputs for step in arm.nodes) or own in arm.outputs
        nodes = (made, *arm.nodes) if is_read else arm.nodes
        arms.append(replace(arm, inputs=(*inputs, *fresh.values()), nodes=nodes))
    new = (node.args[0], *args, *more)
    moved: Node = replace(node, function=Branch(*arms), args=new)
    return moved
