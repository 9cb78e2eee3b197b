"""``known_loop``: the ``Loop`` of a region of which one iteration was recorded as such.

>>> f8 = np.dtype(float)
>>> h, x, p, t, out = (Value((), f8, name) for name in ("h", "x", "p", "t", "out"))
>>> known = Known(0, (Carried(p, h, t, out),), {}, count=9)
>>> node = known_loop(known, [Node(np.multiply, (p, x), out=t)], [], {}, None)
>>> print(node.function.body)
t = multiply(p, x)
return t
"""

import itertools
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.graph import Graph
from srcgrad.loops import ExitCondition, Loop
from srcgrad.steps import Guard, Node, Step, Value
from srcgrad.transforms.loops.iterations import meta_of
from srcgrad.transforms.loops.regions import Carried, Known, Region
from srcgrad.transforms.loops.same_steps import matched
from srcgrad.transforms.loops.slots import MisfitError, as_like


def known_loop(
    known: Known,
    steps: Sequence[Step],
    inner: Sequence[Region],
    raws: MutableMapping[Value, Any],
    roll: Callable[..., Graph],
    name: str | None = None,
) -> Node:
    """The loop, of the steps of its iteration.

    ``inner`` are the regions in these, which ``roll`` rolls; ``raws`` gets what the
    Values of the body stood for. ``name`` is the user's for the index.

    Raises
    ------
    MisfitError
        If what it carries is not of one kind, or its body has other guards than as it
        ran: arms are no branch any more, and it is not known which guard is its test.
    """
    for each in known.carried:
        if len({*map(meta_of, each)}) > 1:
            raise MisfitError("kinds")
    parameters = [each.parameter for each in known.carried]
    around = {value: replace(value) for value in _taken(known, steps, inner)}
    raws.update((own, raws[v]) for v, own in around.items() if v in raws)
    indices = dict(sorted(known.indices.items(), key=_in_order))
    for index, (start, _) in indices.items():
        raws[index] = np.int64(start)
        index.name = name
    nodes = tuple([step.with_values(around) for step in steps])
    every: Any = (*known.carried, *known.collected)
    outputs = tuple([around.get(each.output, each.output) for each in every])
    inputs = (*indices, *parameters, *around.values())
    body = Graph(inputs, nodes, outputs)
    if inner:
        body = roll(body, [region.renamed(around) for region in inner])
    guards = sum(type(step) is Guard for step in body.nodes)
    if known.guards not in (-1, guards):
        raise MisfitError("guards")
    if known.exit_condition is not None:
        body = with_test(body, known.test)
    loop = Loop(
        body,
        known.count,
        tuple(indices.values()),
        carried=len(parameters),
        ys=len(known.collected),
        exit_condition=known.exit_condition,
    )
    args = (*(each.first for each in known.carried), *around)
    out = [each.result for each in known.carried]
    out += [value for each in known.collected for value in each.results]
    return Node(loop, args, out=tuple(out), where=steps[0].where)


def _in_order(index: tuple[Value, tuple[int, int]]) -> tuple[int, int]:
    """The first one has the name: the user's own, most likely, counts 0, 1, 2."""
    start, step = index[1]
    return abs(step), start


def _taken(
    known: Known, steps: Sequence[Step], inner: Sequence[Region]
) -> dict[Value, None]:
    """What an iteration takes from around the loop."""
    own = {each.parameter for each in known.carried}.union(known.indices)
    own.update(value for step in steps for value in step.results)
    taken = [value for step in steps for value in step.inputs]
    for region in inner:
        for each in region.known_loops():
            own.update(each.values)
            taken += [carried.first for carried in each.carried]
    return dict.fromkeys(value for value in taken if value not in own)


def with_test(body: Graph, number: int) -> Graph:
    """A body in which one of the guards is the test that ends the loop."""
    nodes = [*body.nodes]
    guards = [place for place, step in enumerate(nodes) if type(step) is Guard]
    test: Any = nodes[guards[number]]
    nodes[guards[number]] = replace(test, ends=True)
    return replace(body, nodes=tuple(nodes))


# ----- The iteration before it, and that in which it ends -----


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
        exit_condition=_longer(loop.exit_condition),
    )
    out = (*results[0], *results[1], *ys)
    return replace(node, function=more, args=(*before, *outer), out=out)


def _as_first(item: Any, state: Value) -> Any:
    """What something is where it is carried as a Value of some kind."""
    is_number = type(item) is float and state.kind == "float"
    return item if is_number else as_like(item, state)


def with_the_last(
    node: Node,
    steps: Sequence[Step],
    is_read: Callable[[Value], bool],
    numbers: Mapping[Value, int],
    is_alike: bool,
) -> Node | None:
    """The loop with the iteration in which it ends, if its test comes last in that.

    ``is_alike``: it is the same to come to the end of what it goes along. ``numbers``
    has what the indices of that iteration are.
    """
    loop: Any = node.function
    body: Graph = loop.body
    if loop.exit_condition is None or loop.exit_condition.is_last or not body.nodes:
        return None
    test = body.nodes[-1]
    if (
        type(test) is not Guard
        or not test.ends
        or any(map(is_read, node.results[: loop.carried]))
    ):
        return None
    found = matched(body, steps)
    if found is None or not _goes_on(loop, node, found, numbers):
        return None
    made = {value for step in body.nodes for value in step.results}
    carried = loop.computed()[0]
    out: list[Value] = []
    for output in carried:
        own = found.get(output)
        if output not in made or type(own) is not Value or own in out:
            return None
        out.append(own)
    items = [found.get(output) for output in loop.computed()[2]]
    if any(type(item) is not Value for item in items):
        return None
    known = {*out, *items}
    last = [v for v in made if is_read(found[v]) and found[v] not in known]
    results = loop.results(node.results)
    every = zip(loop.items_of(results[2]), items, strict=True)
    ys = [value for rest, item in every for value in (*rest, item)]
    stops = loop.exit_condition.stops or is_alike
    condition = replace(loop.exit_condition, is_last=True, stops=stops)
    outputs = (*carried, *last, *loop.computed()[2])
    more = replace(
        loop,
        body=replace(body, outputs=outputs),
        count=loop.count + 1,
        last=len(last),
        exit_condition=condition,
    )
    given = (*out, *(found[value] for value in last), *ys)
    return replace(node, function=more, out=given)


def with_last(node: Node) -> Node:
    """The loop with results of the last iteration for what it sets and does not read.

    It has one iteration at least, or it is as it was.
    """
    loop: Any = node.function
    condition = loop.exit_condition
    if loop.count == 0 or (condition is not None and not condition.is_last):
        return node
    states, outs = loop.parameters()[2], loop.computed()
    read = {value for step in loop.body.nodes for value in step.inputs}
    read.update(loop.body.outputs)
    keeps = [state in read for state in states]
    if all(keeps):
        return node
    results = loop.results(node.results)

    def kept(items: Sequence[Any]) -> list[Any]:
        return [*itertools.compress(items, keeps)]

    def others(items: Sequence[Any]) -> list[Any]:
        return [item for item, keep in zip(items, keeps, strict=True) if not keep]

    gone = {*others(states)}
    body = replace(
        loop.body,
        inputs=tuple([value for value in loop.body.inputs if value not in gone]),
        outputs=(*kept(outs[0]), *others(outs[0]), *outs[1], *outs[2], *outs[3]),
    )
    own = replace(loop, body=body, carried=sum(keeps), last=loop.last + len(gone))
    sequences, firsts, outer = loop.given(node.args)
    args = (*sequences, *kept(firsts), *outer)
    out = (*kept(results[0]), *others(results[0]), *results[1], *results[2])
    return replace(node, function=own, args=args, out=(*out, *results[3]))


def with_lists(node: Node, list_of: Callable[[Sequence[Value]], Value | None]) -> Node:
    """The loop with lists for those ys of which ``list_of`` gives one.

    Raises
    ------
    MisfitError
        If something else is read of a loop of any count.
    """
    loop: Any = node.function
    carried, last, items = loop.results(node.results)[:3]
    every = [(each, list_of(each)) for each in loop.items_of(items)]
    if loop.exit_condition is not None and any(own is None for _, own in every):
        raise MisfitError("items of a loop of any count")
    outs = loop.computed()
    ys = [(v, each) for v, (each, own) in zip(outs[2], every, strict=True) if not own]
    own = [(v, own) for v, (_, own) in zip(outs[2], every, strict=True) if own]
    outputs = (*outs[0], *outs[1], *(v for v, _ in ys), *(v for v, _ in own))
    more = replace(
        loop, body=replace(loop.body, outputs=outputs), ys=len(ys), lists=len(own)
    )
    out = (*carried, *last, *(v for _, each in ys for v in each), *(v for _, v in own))
    return replace(node, function=more, out=out)


def _goes_on(
    loop: Loop, node: Node, found: Mapping[Value, Any], own: Mapping[Value, int]
) -> bool:
    """Whether steps take what the loop has given: they are its next iteration."""
    indices, _, states, around = loop.parameters()
    for index, (start, step) in zip(indices, loop.indices, strict=True):
        number = start + step * loop.count
        item = found.get(index, number)
        if (own.get(item) if type(item) is Value else item) != number:
            return False
    return all(
        found.get(s, r) is r for s, r in zip(states, node.results, strict=False)
    ) and all(
        found.get(p, v) is v
        for p, v in zip(around, loop.given(node.args)[2], strict=True)
    )


def check_unread(
    steps: Sequence[Step],
    is_read: Callable[[Value], bool],
    numbers: Mapping[Value, int],
) -> None:
    """Refuse steps of the iteration in which a loop ends that make use of its number.

    At another count it is another one.

    Raises
    ------
    MisfitError
        If what comes of it is read, or looked at.
    """
    known = {*numbers}
    for step in steps:
        if known.isdisjoint(step.inputs):
            continue
        if type(step) is Guard or any(map(is_read, step.results)):
            raise MisfitError("the number of the iteration in which a loop ends")
        known.update(step.results)


def _longer(condition: ExitCondition | None) -> Any:
    """The exit condition of a loop with one iteration more."""
    if condition is None or condition.most is None:
        return condition
    return replace(condition, most=condition.most + 1)


__all__ = [
    "Carried",
    "known_loop",
    "with_last",
    "with_lists",
    "with_one_before",
    "with_test",
    "with_the_last",
]
