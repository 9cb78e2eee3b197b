"""What the passes ask of a graph: who needs a value, and who can see its memory."""

import operator
from collections import Counter
from collections.abc import Iterable
from itertools import chain
from typing import Any

import numpy as np

from srcgrad.facts import FACTS
from srcgrad.function_parameters import NO_VALUE, parameters_of
from srcgrad.graph import Graph, Joint, once
from srcgrad.steps import Guard, Node, Step, Value

INPUTS = operator.attrgetter("inputs")


def uses(graph: Graph) -> Counter[Value]:
    """How many want each Value: steps, each as often as it reads it, and results."""
    found = Counter(chain.from_iterable(map(INPUTS, graph.nodes)))
    found.update(graph.results)
    return found


def nodes_needed(nodes: Iterable[Step], wanted: Iterable[Value]) -> list[Step]:
    """Select the steps that compute some values, those with an effect included."""
    nodes, needed, kept = [*nodes], set(wanted), []
    made = [node.results for node in nodes if not node.has_effect]
    read = needed.union(chain.from_iterable(map(INPUTS, nodes)))
    if () not in made and read.issuperset(chain.from_iterable(made)):
        return nodes  # all is read, so all is needed, as most often
    for node in reversed(nodes):
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


@once
def exposed(graph: Graph) -> frozenset[Value]:
    """The arrays whose memory the caller can see, and write to, through an output.

    What the tape keeps apart in memory must stay apart here, and what it shares must
    stay shared; so no pass puts one of these in another's place.
    """
    seen = set(arrays(graph.outputs))
    for node in reversed(graph.nodes):
        if node.shares_memory and not seen.isdisjoint(node.results):
            seen.update(arrays(node.inputs))
    return frozenset(seen)


@once
def callers_memory(graph: Graph) -> frozenset[Value]:
    """The arrays in memory that the caller can write to: inputs, outputs, their views.

    What was computed of them may not be computed again later.
    """
    found = {*exposed(graph), *arrays(graph.inputs)}
    for node in graph.nodes:
        if node.shares_memory and not found.isdisjoint(node.inputs):
            found.update(arrays(node.results))
    return frozenset(found)


def may_copy(node: Step) -> bool:
    """Whether its result may be in memory of its own."""
    if type(node) is not Node or not node.shares_memory:
        return True
    known = FACTS[node.function]
    return known.by_layout or known.view == "maybe"


@once
def read_late(graph: Graph) -> frozenset[Value]:
    """What the backward graph looks at of the forward graph, or at a view of it.

    Nothing, where it comes without cotangents, and so at once.
    """
    found: set[Value] = set()
    if not isinstance(graph, Joint) or not graph.cotangents:
        return frozenset(found)
    for node in reversed(graph.nodes):
        if type(node) is Guard:
            continue
        if node.in_backward or (
            node.shares_memory and not found.isdisjoint(node.results)
        ):
            found.update(node.inputs)
    return frozenset(found)


@once
def decisive(graph: Graph) -> frozenset[Value]:
    """The values on which a guard, a comparison or another jump depends.

    There a difference in the last bit can make all the difference; they stay as they
    are on the tape, to the bit.
    """
    functions = [each for each in graph.functions if each is not None]
    stepping = {each for each in functions if FACTS[each].steps}
    found: set[Value] = set()
    for node in reversed(graph.nodes):
        if (
            type(node) is Guard
            or node.bodies
            or node.function in stepping
            or (found and not found.isdisjoint(node.results))
        ):
            found.update(node.inputs)
        elif type(node.out) is Value and node.out.dtype.kind in "fc":
            pass  # as most
        elif jumps(node):
            found.update(node.inputs)
    return frozenset(found)


def jumps(node: Step) -> bool:
    """Whether the last bit of an input can make all the difference."""
    if type(node) is Guard or node.bodies:
        return True
    if FACTS[node.function].steps:
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
