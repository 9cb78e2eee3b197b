"""The first iterations of a loop that was recorded as one: part of it, or before it.

>>> import numpy as np
>>> from srcgrad.loops import Loop
>>> f8 = np.dtype(float)
>>> h, x, p, t, out = (Value((), f8, name) for name in ("h", "x", "p", "t", "out"))
>>> body = Graph((p, x), (Node(np.multiply, (p, x), out=t),), (t,))
>>> node = Node(Loop(body, 9, carried=1), (h, x), out=(out,))
>>> [step], rest = without_first(node, {})
>>> print(Graph((h, x), (step, rest), (out,)))
t = multiply(h, x)
out = loop(t, x)
    body(p, x):
        t_1 = multiply(p, x)
        return t_1
return out
"""

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import replace
from typing import Any

from srcgrad.graph import Graph, map_bodies
from srcgrad.loops import ExitCondition
from srcgrad.steps import Guard, Node, Step, Value, values_in
from srcgrad.transforms.loops.iterations import meta_of
from srcgrad.transforms.loops.regions import Known
from srcgrad.transforms.loops.same_steps import matched
from srcgrad.transforms.loops.slots import MisfitError, as_like


def with_one_before(
    node: Node,
    steps: Sequence[Step],
    is_read: Callable[[Value], bool],
    numbers: Mapping[Value, int],
) -> Node | None:
    """The loop with one iteration more at its beginning, if these steps are one.

    ``is_read``: of what that makes, whether somebody else reads it. ``numbers`` has
    what its indices are.
    """
    loop: Any = node.function
    body: Graph = loop.body
    found = matched(body, steps)
    if found is None:
        return None
    items = [found.get(output) for output in loop.computed()[2]]
    others = {value for step in steps for value in step.results}.difference(items)
    if any(map(is_read, others)) or any(type(item) is not Value for item in items):
        return None
    indices, _, states, around = loop.parameters()
    _, firsts, outer = loop.given(node.args)
    for index, (start, step) in zip(indices, loop.indices, strict=True):
        item = found.get(index, start - step)
        item = numbers.get(item, item) if type(item) is Value else item
        if type(item) is not int or item != start - step:
            return None
    for parameter, value in zip(around, outer, strict=True):
        if found.setdefault(parameter, value) is not value:
            return None
    if not all(state in found for state in states):
        return None
    for output, first in zip(loop.computed()[0], firsts, strict=True):
        if found.get(output) is not first:
            return None
    try:
        before = [_as_first(found[state], state) for state in states]
    except MisfitError:
        return None
    if loop.exit_condition is not None and any(
        type(item) is not Value for item in before
    ):
        return None  # what comes of no iterations is of another kind
    starts = ((start - step, step) for start, step in loop.indices)
    results = loop.results(node.results)
    every = zip(items, loop.items_of(results[2]), strict=True)
    ys = [value for item, rest in every for value in (item, *rest)]
    more = replace(
        loop,
        count=loop.count + 1,
        indices=tuple(starts),
        exit_condition=_longer(loop.exit_condition, 1),
    )
    out = (*results[0], *results[1], *ys)
    return replace(node, function=more, args=(*before, *outer), out=out)


def from_entry(
    node: Node,
    known: Known,
    steps: Sequence[Step],
    is_read: Callable[[Value], bool],
    numbers: Mapping[Value, int],
) -> Node | None:
    """The loop from its first iteration on, instead of the steps of the first ones.

    These have gone another way, an inner loop had no iterations, say; but what one of
    its iterations does is known of whatever it begins with.
    """
    loop: Any = node.function
    made = {value for step in steps for value in step.results}
    guards = [step for step in loop.body.nodes if type(step) is Guard]
    effects = [type(step) is Node and step.has_effect for step in steps]
    given = {value for each in node.args[loop.carried :] for value in values_in(each)}
    if (
        loop.ys
        or any(type(guard.value) is Value and not guard.ends for guard in guards)
        or any(effects)
        or any(map(is_read, made))
        or not made.isdisjoint(given)
    ):
        return None
    entry = {c.parameter: v for c, v in zip(known.carried, known.entry, strict=True)}
    states, count = loop.parameters()[2], known.iteration
    firsts = [entry[state] for state in states]
    pairs = zip(firsts, states, strict=True)
    if any(v is None or meta_of(v) != meta_of(s) for v, s in pairs):
        return None
    more = replace(
        loop,
        count=loop.count + count,
        indices=tuple([(start - count * step, step) for start, step in loop.indices]),
        exit_condition=_longer(loop.exit_condition, count),
    )
    return replace(node, function=more, args=(*firsts, *node.args[loop.carried :]))


def without_first(
    node: Node, raws: MutableMapping[Value, Any]
) -> tuple[list[Step], Node]:
    """The steps of the first iteration, and the loop from the second one on.

    ``raws`` has what the Values of the body stood for in that, and gets the same for
    those of the steps.
    """
    loop: Any = node.function
    results, other = loop.results(node.results), _another(loop.body, raws)
    carried, _, items = loop.with_bodies((other,)).computed()[:3]
    ys = [*loop.items_of(results[2])]
    firsts = {value: each[0] for value, each in zip(items, ys, strict=True)}
    raws.update((new, raws[old]) for old, new in firsts.items() if old in raws)
    starts = (start for start, _ in loop.indices)
    given = zip(other.inputs, (*starts, *node.args), strict=True)
    own: dict[Value, Any] = {**dict(given), **firsts}
    steps: list[Step] = []
    for step in other.nodes:
        step = step.with_values(own)
        if type(step) is Guard:
            steps.append(replace(step, ends=False))
        else:
            steps.append(step.renamed(firsts))
    less = replace(
        loop,
        count=loop.count - 1,
        indices=tuple([(start + step, step) for start, step in loop.indices]),
        exit_condition=_longer(loop.exit_condition, -1),
    )
    outer = loop.given(node.args)[2]
    args = (*(own.get(value, value) for value in carried), *outer)
    rest = (value for each in ys for value in each[1:])
    out = (*results[0], *results[1], *rest)
    return steps, replace(node, function=less, args=args, out=out)


def _another(body: Graph, raws: MutableMapping[Value, Any]) -> Graph:
    """A body that does the same, with Values of its own."""
    made = [value for step in body.nodes for value in step.results]
    own = {value: value.twin() for value in (*body.inputs, *body.constants, *made)}
    raws.update((new, raws[old]) for old, new in own.items() if old in raws)
    steps: list[Step] = []
    for step in body.nodes:
        step = step.with_values(own) if type(step) is Guard else step.renamed(own)
        steps.append(map_bodies(lambda body: _another(body, raws), step))
    return Graph(
        tuple([own[value] for value in body.inputs]),
        tuple(steps),
        tuple([own.get(value, value) for value in body.outputs]),
        {own[value]: array for value, array in body.constants.items()},
    )


def _as_first(item: Any, state: Value) -> Any:
    """What something is where it is carried as a Value of some kind."""
    is_number = type(item) is float and state.kind == "float"
    return item if is_number else as_like(item, state)


def _longer(condition: ExitCondition | None, count: int) -> Any:
    """The exit condition of a loop with so many iterations more."""
    if condition is None or condition.most is None:
        return condition
    return replace(condition, most=condition.most + count)
