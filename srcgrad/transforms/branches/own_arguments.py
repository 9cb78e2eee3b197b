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

from collections.abc import Collection, Iterable
from typing import Any

import numpy as np

from srcgrad.branches import Branch
from srcgrad.graph import Graph, Program, walk
from srcgrad.steps import Node, Step, Value, values_in

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

    ``theirs`` are the inputs that may.
    """
    origins, given = graph.origins(), {*theirs, *graph.outputs}

    def is_theirs(item: Any) -> bool:
        arrays = (value for value in values_in(item) if value.kind == "array")
        return any(not given.isdisjoint(origins.get(v, {v})) for v in arrays)

    for step in graph.nodes:
        if type(step) is not Node:
            continue
        function: Any = step.function
        if type(function) is Branch:
            inside = any(reads_callers(arm, ()) for arm in function.bodies)
            if inside or is_theirs(step.args):
                return True
            continue
        for body in step.bodies:
            outer = function.given(step.args)[2]
            consts = zip(function.parameters()[3], outer, strict=True)
            own = {value for value, arg in consts if not is_theirs(arg)}
            if reads_callers(body, {*body.inputs} - own):
                return True
    return False


def _is_small(value: Value) -> bool:
    is_array = value.kind == "array" and value.dtype.kind == "f"
    return is_array and int(np.prod(value.shape)) <= MOST_COPIED


def _has_branch(node: Node) -> bool:
    return any(
        type(step) is Node and type(step.function) is Branch
        for step in walk(Graph((), (node,), ()))
    )
