"""A loop that goes back over what another one has kept becomes part of that.

That is so where the one back only adds up: gradients of a sum over points. Then each
iteration runs both bodies, and nothing is kept. The order of the sums is another one.
Both are loops already; ``interleaving`` moves steps before there are any.

>>> import numpy as np
>>> f8 = np.dtype(float)
>>> s, x, y, t, ts, dx, u, z, r = (Value((), f8, n, "scalar") for n in "sxytTduzr")
>>> ts = Value((), f8, "ts", "list")
>>> first = Graph((s, x), (Node(np.multiply, (s, x), out=t),), (t, t))
>>> back = Graph((u, z), (Node(np.add, (z, u), out=r),), (r,))
>>> a, b = Loop(first, 9, carried=1, lists=1), Loop(back, 9, (), 1, 1, is_reversed=True)
>>> nodes = Node(a, (1.0, x), out=(y, ts)), Node(b, (ts, 0.0), out=(dx,))
>>> print(fuse_loops(Graph((x,), nodes, (y, dx))))
y, d = loop(1.0, 0.0, x)
    body(s, z, x):
        t = multiply(s, x)
        r = add(z, t)
        return t, r
return y, d
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.branches import Branch
from srcgrad.graph import Graph, Program
from srcgrad.loops import Loop
from srcgrad.steps import Guard, Node, Step, Value, values_in
from srcgrad.updates import add_at


def fuse_loops(graph: Program) -> Program:
    """Do in one loop what two do, where the second one only adds up."""
    steps = list(graph.nodes)
    for back in [step for step in steps if _is_loop(step, is_reversed=True)]:
        first = _first_of(back, steps, graph.results)
        if first is not None:
            steps = _with_both(steps, first, back)
    if len(steps) == len(graph.nodes):
        return graph
    return graph.with_nodes(steps, {})


def _is_loop(step: Step, is_reversed: bool) -> bool:
    """Whether it is a loop of a count that is known, forwards or backwards."""
    if type(step) is not Node or type(step.function) is not Loop:
        return False
    return (
        step.function.exit_condition is None
        and step.function.is_reversed is is_reversed
    )


def _first_of(
    back: Any, steps: Sequence[Step], results: Sequence[Value]
) -> Node | None:
    """The loop whose ys are the xs of the loop back, if the two fit."""
    loop: Loop = back.function
    lists = [each for each in loop.given(back.args)[0] if _is_list(each)]
    if not lists or not _only_adds(loop):  # before a look at all steps: as most
        return None
    makers = [
        step
        for step in steps
        if type(step) is Node and not set(lists).isdisjoint(step.results)
    ]
    if len(makers) != 1 or not _is_loop(makers[0], is_reversed=False):
        return None
    (maker,) = makers
    first: Any = maker.function
    made = [value for value in maker.results if _is_list(value)]
    start, end = steps.index(maker), steps.index(back)
    between = steps[start + 1 : end]
    others = {v for step in steps if step is not back for v in step.inputs}
    fits = (
        first.count == loop.count
        and not loop.lists
        and others.union(results).isdisjoint(made)
        and not any(type(s) is Guard for s in first.body.nodes)
        and not any(type(s) is Guard or s.has_effect for s in between)
    )
    if not fits:
        return None
    late = set(maker.results).difference(made)
    for step in between:
        if not late.isdisjoint(step.inputs):
            late.update(step.results)
    return None if late.intersection(back.inputs) else maker


def _is_list(item: Any) -> bool:
    return type(item) is Value and item.kind == "list"


# ----- Sums -----


def _only_adds(loop: Loop) -> bool:
    """Whether all that a loop carries on are sums, and nothing else reads these."""
    pairs = zip(loop.parameters()[2], loop.computed()[0], strict=True)
    return not loop.last and all(_is_sum(loop.body, *pair) for pair in pairs)


def _is_sum(graph: Graph, term: Value, total: Value) -> bool:
    """Whether a graph adds to something, and no more; what comes of it is ``total``."""
    while term is not total:
        users = [step for step in graph.nodes if term in step.inputs]
        if len(users) != 1 or term in graph.outputs:
            return False
        (user,) = users
        after = _added(user, term, total)
        if after is None:
            return False
        term = after
    is_read = any(term in step.inputs for step in graph.nodes)
    return not is_read and graph.outputs.count(term) == 1


def _added(user: Step, term: Value, total: Value) -> Value | None:
    """What a step makes of a term by adding to it."""
    if type(user) is not Node or list(values_in(user.args)).count(term) > 1:
        return None
    function: Any = user.function
    if type(function) is Branch:
        position = user.args.index(term) - 1
        for number, result in enumerate(user.results):
            if position >= 0 and all(
                _is_sum(arm, arm.inputs[position], arm.outputs[number])
                for arm in function.bodies
            ):
                return result
        return None
    is_first = user.args[0] is term
    if not (function is np.add or (function in (np.subtract, add_at) and is_first)):
        return None
    (out,) = user.results
    is_alike = (out.kind, out.shape, out.dtype) == (term.kind, term.shape, term.dtype)
    return out if is_alike and not user.kwargs else None


# ----- Making one of two -----


def _with_both(steps: Sequence[Step], first: Node, back: Any) -> list[Step]:
    """The steps with one loop for two, after all that both need."""
    start, end = steps.index(first), steps.index(back)
    needed = set(back.inputs)
    before: list[Step] = []
    after: list[Step] = []
    for step in reversed(steps[start + 1 : end]):
        if needed.isdisjoint(step.results):
            after.append(step)
        else:
            needed.update(step.inputs)
            before.append(step)
    fused = _fused(first, back)
    head, tail = steps[:start], steps[end + 1 :]
    return [*head, *reversed(before), fused, *reversed(after), *tail]


def _fused(first: Node, back: Node) -> Node:
    """One loop that does what two do."""
    one: Any = first.function
    two: Any = back.function
    parameters = [
        [*zip(args, own, strict=True)]
        for args, own in zip(_given(first), one.parameters(), strict=True)
    ]
    # What both get, and the items of lists, are there already.
    known = {
        (position, _key(arg)): own
        for position, pairs in enumerate(parameters)
        for arg, own in pairs
        if position != STATES
    }
    lists = zip(_lists(first), one.computed()[3], strict=True)
    known.update({(XS, items): item for items, item in lists})
    renamed: dict[Value, Value] = {}
    for position, (args, own) in enumerate(
        zip(_given(back), two.parameters(), strict=True)
    ):
        for arg, parameter in zip(args, own, strict=True):
            same = known.get((position, _key(arg)))
            renamed[parameter] = parameter.twin() if same is None else same
            if same is None:
                parameters[position].append((arg, renamed[parameter]))
    made = (value for step in two.body.nodes for value in step.results)
    renamed.update({value: value.twin() for value in made})
    inputs = tuple(own for pairs in parameters for _, own in pairs)
    indices, *args = [[arg for arg, _ in pairs] for pairs in parameters]
    loop = Loop(
        _joined(one, two, renamed, inputs),
        one.count,
        tuple(indices),
        len(args[0]),
        one.carried + two.carried,
        one.last,
        one.ys + two.ys,
        fills=one.fills or two.fills,
    )
    results = zip(
        one.results(first.results)[:3], two.results(back.results)[:3], strict=True
    )
    out = tuple(value for pair in results for part in pair for value in part)
    return replace(first, function=loop, args=tuple(itertools.chain(*args)), out=out)


# The places among the parts of what a body takes.
XS, STATES = 1, 2


def _given(node: Any) -> Sequence[Sequence[Any]]:
    """What the parameters of a loop's body come from: indices, xs, states, consts."""
    return node.function.indices, *node.function.given(node.args)


def _lists(node: Node) -> Iterator[Value]:
    return (value for value in node.results if _is_list(value))


def _key(arg: Any) -> Any:
    """What is the same for two arguments that are the same."""
    if type(arg) is Value:
        return arg
    if isinstance(arg, tuple) and all(isinstance(each, (Value, int)) for each in arg):
        return arg
    return id(arg)


def _joined(
    one: Loop, two: Loop, renamed: Mapping[Value, Value], inputs: tuple[Value, ...]
) -> Graph:
    """The bodies of two loops, one after the other."""
    nodes = (*one.body.nodes, *(step.renamed(renamed) for step in two.body.nodes))
    outputs: list[Value] = []
    for own, others in zip(one.computed()[:3], two.computed()[:3], strict=True):
        outputs += (*own, *(renamed.get(value, value) for value in others))
    constants = {**one.body.constants, **two.body.constants}
    return Graph(inputs, nodes, tuple(outputs), constants)
