"""Small arrays that branches read, and the caller may change, are copied beforehand.

An arm computes again on its way back what that reads, of what the arm was given: that
has to be what it was. And of the copies a call is put on the tape, whatever ran.

>>> f8 = np.dtype(float)
>>> x, y, z, a, b = (Value((2,), f8, name) for name in "xyzab")
>>> t = Value((), np.dtype(bool), "t", "scalar")
>>> then = Graph((a,), (Node(np.exp, (a,), out=y),), (y,))
>>> orelse = Graph((b,), (Node(np.negative, (b,), out=z),), (z,))
>>> graph = Graph((x, t), (Node(Branch(then, orelse), (t, x), out=(y,)),), (y,))
>>> graph, copies = with_own_arguments(graph, {x, t})
>>> print(str(graph).partition("body")[0].strip())
x_1 = copy(x)
y = branch(t, x_1)
>>> [value.name for value in copies]
['x']
"""

import itertools
from collections.abc import Collection, Iterable
from typing import Any

import numpy as np

from srcgrad.branches import Branch
from srcgrad.graph import Graph, Program, walk
from srcgrad.steps import Guard, Node, Step, Value, values_in

# An array with more elements would take long to copy.
MOST_COPIED = 64


def with_own_arguments(
    graph: Program, inputs: Collection[Value]
) -> tuple[Program, dict[Value, Value]]:
    """The graph with copies of some inputs for its branches; and which these are."""
    copies: dict[Value, Value] = {}
    nodes: list[Step] = []
    for step in graph.nodes:
        if type(step) is Node and _has_branch(step):
            for value in step.inputs:
                if value in inputs and _is_small(value) and value not in copies:
                    copies[value] = value.twin()
                    copy = Node(np.copy, (value,), out=copies[value], where=step.where)
                    nodes.append(copy)
            step = step.with_values(copies)
        nodes.append(step)
    return (graph.with_nodes(nodes, {}), copies) if copies else (graph, copies)


def without_copies(graph: Graph, copies: Collection[Value]) -> Graph:
    """A forward half whose branches read arguments themselves, not some copies."""
    nodes: list[Step] = []
    sources: dict[Value, Value] = {}
    for step in graph.nodes:
        if type(step) is Node and step.function is np.copy and step.out in copies:
            (sources[step.results[0]],) = step.args
        else:
            nodes.append(step.with_values(sources))
    return graph.with_nodes(nodes, {}) if sources else graph


def reads_callers(graph: Graph, theirs: Iterable[Value]) -> bool:
    """Whether an arm reads an array that may change until it is run again.

    ``theirs`` are the inputs that may; what the caller is given may, too.
    """
    try:
        _own_lists(graph, theirs, graph.outputs)
    except _ReadError:
        return True
    return False


class _ReadError(Exception):
    """An arm reads an array of the caller's."""


def _own_lists(
    graph: Graph, theirs: Iterable[Value], given: Iterable[Value]
) -> set[Value]:
    """The lists that loops fill with arrays that are not the caller's.

    Raises
    ------
    _ReadError
        If an arm reads one of these.
    """
    origins = graph.origins()
    lent = {*theirs}.union(*(origins.get(value, {value}) for value in given))
    lists: set[Value] = set()

    def is_theirs(item: Any) -> bool:
        return any(
            not lent.isdisjoint(origins.get(value, {value}))
            if value.kind == "array"
            else value.kind == "list" and value not in lists
            for value in values_in(item)
        )

    for step in graph.nodes:
        if type(step) is not Node:
            continue
        function: Any = step.function
        if type(function) is Branch:
            for arm in function.bodies:
                _own_lists(arm, (), arm.outputs)
            if is_theirs(step.args):
                raise _ReadError
            continue
        for body in step.bodies:
            states = function.parameters()[2]
            pairs = zip(body.inputs[-len(step.args) :], step.args, strict=True)
            own = {v for v, arg in pairs if v not in states and not is_theirs(arg)}
            inputs, out = {*body.inputs} - own, _given_on(graph, step, lent)
            inside = _own_lists(body, inputs, out)
            inside |= {value for value in own if value.kind == "list"}
            lists |= _filled(step, body, inputs | out, inside)
    return lists


def _filled(
    node: Node, body: Graph, theirs: Collection[Value], lists: Collection[Value]
) -> set[Value]:
    """The lists that a loop gives of arrays, or lists, that are not the caller's."""
    loop: Any = node.function
    outs, results = loop.computed()[3], loop.results(node.results)[3]
    origins = body.origins()
    return {
        result
        for value, result in zip(outs, results, strict=True)
        if (
            value in lists
            if value.kind == "list"
            else origins.get(value, {value}).isdisjoint(theirs)
        )
    }


def _given_on(graph: Graph, node: Node, lent: set[Value]) -> set[Value]:
    """The outputs of a loop's body of which some are lent, or in a list that is read.

    What only a way back reads stays with the trace.
    """
    loop: Any = node.function
    read = {
        value
        for step in graph.nodes
        if type(step) is Guard or not step.in_backward
        for value in step.inputs
    }.union(lent)
    outs, results = loop.computed(), loop.results(node.results)
    groups = (
        *((each,) for each in (*results[0], *results[1])),
        *loop.items_of(results[2]),
        *((each,) for each in results[3]),
    )
    found = set()
    for value, own in zip(itertools.chain(*outs), groups, strict=True):
        known = read if any(each.kind == "list" for each in own) else lent
        if not known.isdisjoint(own):
            found.add(value)
    return found


def _is_small(value: Value) -> bool:
    is_array = value.kind == "array" and value.dtype.kind == "f"
    return is_array and int(np.prod(value.shape)) <= MOST_COPIED


def _has_branch(node: Node) -> bool:
    return any(
        type(step) is Node and type(step.function) is Branch
        for step in walk(Graph((), (node,), ()))
    )
