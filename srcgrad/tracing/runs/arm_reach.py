"""``flows_to``: after which arms an argument has a gradient, as on the tape.

What flows is told by the tests of branches: True, False, or what it is where a test is
true and where it is false. Where a test is none of the graph's own, one in an arm or in
a loop, it is None: nobody knows.

>>> from dataclasses import replace
>>> import numpy as np
>>> x, w, a, b, y, z = (Value((), np.dtype(float), name, "scalar") for name in "xwabyz")
>>> t = Value((), np.dtype(bool), "t", "scalar")
>>> then = Graph((a, b), (Node(np.exp, (a,), out=y),), (y,))
>>> orelse = Graph((), (Node(np.multiply, (x, w), out=z),), (z,))
>>> orelse = replace(orelse, inputs=(x, w))
>>> p, q, r = (replace(value) for value in (x, w, y))
>>> graph = Graph((p, q, t), (Node(Branch(then, orelse), (t, p, q), out=(r,)),), (r,))
>>> found = flows_to(graph, r, [p, q])
>>> found[p], found[q] == (t, False, True)
(True, True)
"""

import functools
from collections.abc import Iterable, Mapping
from typing import Any

from srcgrad.branches import Branch
from srcgrad.graph import Graph
from srcgrad.loops import Loop
from srcgrad.rules.registry import PRIMITIVES
from srcgrad.steps import Node, Value, values_in
from srcgrad.transforms.branches.depending import is_number

# True, False, None, or (test, flow where it is true, flow where it is false): the tests
# come in the order of their numbers.
Flow = Any
# Of more tests nobody asks which arms ran.
MOST_TESTS = 12


def flows_to(graph: Graph, root: Value, inputs: Iterable[Value]) -> dict[Value, Flow]:
    """For some inputs, after which arms there is a gradient from a root."""
    branches = (step for step in graph.nodes if type(step) is Node)
    tests = [step.args[0] for step in branches if _is_branch(step)]
    known = [test for test in dict.fromkeys(tests) if type(test) is Value]
    ranks = {test: number for number, test in enumerate(known[:MOST_TESTS])}
    found = _flows(graph, {root: True}, {test: test for test in ranks}, ranks)
    return {value: found.get(value, False) for value in inputs}


def _is_branch(step: Node) -> bool:
    return type(step.function) is Branch


def _flows(
    graph: Graph,
    roots: Mapping[Value, Flow],
    tests: Mapping[Value, Value],
    ranks: Mapping[Value, int],
) -> dict[Value, Flow]:
    """For all values of a graph; ``tests`` are those that are known outside."""
    found = {value: flow for value, flow in roots.items() if is_number(value)}

    def flow(value: Value, more: Flow) -> None:
        if is_number(value):
            found[value] = _either(found.get(value, False), more, ranks)

    for step in reversed(graph.nodes):
        if type(step) is not Node or found.keys().isdisjoint(step.results):
            continue
        join = functools.partial(_either, ranks=ranks)
        given = [found.get(value, False) for value in step.results]
        through = functools.reduce(join, given)
        if _is_branch(step):
            for value, more in _through_branch(step, found, tests, ranks):
                flow(value, more)
        elif type(step.function) is Loop:
            for value in step.inputs:
                flow(value, _either(None, False, ranks))
        elif PRIMITIVES.get(step.function) is not None:
            has_rules = bool(PRIMITIVES[step.function].rules)
            for value in step.inputs if has_rules else ():
                flow(value, through)
    return found


def _through_branch(
    node: Node,
    found: Mapping[Value, Flow],
    tests: Mapping[Value, Value],
    ranks: Mapping[Value, int],
) -> Iterable[tuple[Value, Flow]]:
    """What flows to the arguments of a branch."""
    test, *args = node.args
    function: Any = node.function
    arms = []
    for arm in function.bodies:
        roots: dict[Value, Flow] = {}
        for own, result in zip(arm.outputs, node.results, strict=True):
            before = roots.get(own, False)
            roots[own] = _either(before, found.get(result, False), ranks)
        inner = {
            own: tests[arg]
            for own, arg in zip(arm.inputs, args, strict=True)
            if type(arg) is Value and arg in tests
        }
        arms.append((arm, _flows(arm, roots, inner, ranks)))
    for number, arg in enumerate(args):
        then, orelse = (own.get(arm.inputs[number], False) for arm, own in arms)
        for value in values_in(arg):
            yield value, _chosen(tests.get(test), then, orelse, ranks)


# ----- Decisions -----


def _top(flow: Flow, ranks: Mapping[Value, int]) -> float:
    return ranks[flow[0]] if isinstance(flow, tuple) else float("inf")


def _where(flow: Flow, test: Value, is_true: bool) -> Flow:
    """What is left of it where a test is known, the first of all."""
    if not isinstance(flow, tuple) or flow[0] is not test:
        return flow
    return flow[1] if is_true else flow[2]


def _decided(test: Value, then: Flow, orelse: Flow) -> Flow:
    return then if then == orelse else (test, then, orelse)


def _either(first: Flow, second: Flow, ranks: Mapping[Value, int]) -> Flow:
    """Whether one of two flows."""
    if first is True or second is True:
        return True
    if not isinstance(first, tuple) and not isinstance(second, tuple):
        return None if first is None or second is None else False
    test = min(first, second, key=lambda flow: _top(flow, ranks))[0]
    parts = [
        _either(_where(first, test, each), _where(second, test, each), ranks)
        for each in (True, False)
    ]
    return _decided(test, *parts)


def _chosen(
    test: Value | None, then: Flow, orelse: Flow, ranks: Mapping[Value, int]
) -> Flow:
    """One of two, by a test; by one that is not known, what both are."""
    if then == orelse:
        return then
    if test is None:
        return None
    first = min(ranks[test], _top(then, ranks), _top(orelse, ranks))
    if first == ranks[test]:
        return _decided(test, _where(then, test, True), _where(orelse, test, False))
    other = next(each for each, rank in ranks.items() if rank == first)
    parts = [
        _chosen(test, _where(then, other, each), _where(orelse, other, each), ranks)
        for each in (True, False)
    ]
    return _decided(other, *parts)


def does_flow(flow: Flow, saved: Any) -> bool | None:
    """What it is after the arms that ran; in the place of tests are their numbers."""
    while type(flow) is tuple:
        flow = flow[1] if saved[flow[0]] else flow[2]
    found: bool | None = flow
    return found


def with_places(flow: Flow, places: Mapping[Value, int]) -> Flow:
    """The same with the place of each test among what is saved."""
    if not isinstance(flow, tuple):
        return flow
    test, *parts = flow
    if test not in places:
        return None
    return (places[test], *(with_places(part, places) for part in parts))


def asked_in(flow: Flow) -> Iterable[Value]:
    """The tests that it depends on."""
    if isinstance(flow, tuple):
        yield flow[0]
        for part in flow[1:]:
            yield from asked_in(part)
