"""What the passes ask of a graph: who needs a value, and who can see its memory."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from srcgrad.facts import facts_of
from srcgrad.function_parameters import NO_VALUE, parameters_of
from srcgrad.graph import Graph, Joint
from srcgrad.steps import Guard, Node, Step, Value


def nodes_needed(nodes: Iterable[Step], wanted: Iterable[Value]) -> list[Step]:
    """Select the steps that compute some values, those with an effect included."""
    needed = set(wanted)
    kept = []
    for node in reversed(tuple(nodes)):
        if node.has_effect or not needed.isdisjoint(node.results):
            needed.update(node.inputs)
            kept.append(node)
    kept.reverse()
    return kept


def forward_steps(graph: Joint) -> list[Step]:
    """The steps that outputs and effects need; of the latter those before the backward.

    An effect, a guard say, that depends on a cotangent can only come later.
    """
    late = set(graph.cotangents)
    early = []
    for node in graph.nodes:
        if late.isdisjoint(node.inputs):
            early.append(node)
        else:
            late.update(node.results)
    return nodes_needed(early, (*graph.outputs, *graph.held))


def arrays(values: Iterable[Value]) -> list[Value]:
    """Those that have memory which someone could write to: no scalars."""
    return [value for value in values if value.kind == "array"]


def exposed(graph: Graph) -> set[Value]:
    """The arrays whose memory the caller can see, and write to, through an output.

    What the tape keeps apart in memory must stay apart here, and what it shares must
    stay shared; so no pass puts one of these in another's place.
    """
    seen = set(arrays(graph.outputs))
    for node in reversed(graph.nodes):
        if node.shares_memory and not seen.isdisjoint(node.results):
            seen.update(arrays(node.inputs))
    return seen


def callers_memory(graph: Graph) -> set[Value]:
    """The arrays in memory that the caller can write to: inputs, outputs, their views.

    What was computed of them may not be computed again later.
    """
    found = exposed(graph).union(arrays(graph.inputs))
    for node in graph.nodes:
        if node.shares_memory and not found.isdisjoint(node.inputs):
            found.update(arrays(node.results))
    return found


def may_copy(node: Step) -> bool:
    """Whether its result may be in memory of its own."""
    if type(node) is not Node or not node.shares_memory:
        return True
    known = facts_of(node.function)
    return known.by_layout or known.view == "maybe"


def read_late(graph: Graph) -> set[Value]:
    """What the backward graph looks at of the forward graph, or at a view of it.

    Nothing, where it comes without cotangents, and so at once.
    """
    found: set[Value] = set()
    if not isinstance(graph, Joint) or not graph.cotangents:
        return found
    for node in reversed(graph.nodes):
        if type(node) is Guard:
            continue
        if node.in_backward or (
            node.shares_memory and not found.isdisjoint(node.results)
        ):
            found.update(node.inputs)
    return found


def decisive(graph: Graph) -> set[Value]:
    """The values on which a guard, a comparison or another jump depends.

    There a difference in the last bit can make all the difference; they stay as they
    are on the tape, to the bit.
    """
    found: set[Value] = set()
    for node in reversed(graph.nodes):
        if jumps(node) or not found.isdisjoint(node.results):
            found.update(node.inputs)
    return found


def jumps(node: Step) -> bool:
    """Whether the last bit of an input can make all the difference."""
    if type(node) is Guard or node.bodies:
        return True
    if facts_of(node.function).steps:
        return True
    for value in node.results:
        if value.dtype.kind in "biu":
            return any(value.dtype.kind in "fc" for value in node.inputs)
    return False


def arguments(node: Node) -> dict[str, Any]:
    """The arguments by NumPy's names of them, defaults filled in."""
    names, _ = parameters_of(node.function)
    bound = {**names, **dict(zip(names, node.args, strict=False)), **node.kwargs}
    return {
        name: NO_VALUE.get(name) if item is np._NoValue else item
        for name, item in bound.items()
    }
