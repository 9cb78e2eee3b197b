"""Elements of arrays: the arms of a branch do not take them, but get them.

Each arm takes its own when it is recorded, so that iterations are seen to do the same,
whichever arms run, and if two indices happen to be equal. What is the same after all
is taken once, when loops are loops.
"""

import operator
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import TypeGuard

from srcgrad.branches import Branch
from srcgrad.graph import Program
from srcgrad.steps import Node, Step, Value, values_in
from srcgrad.transforms.algebra.cse import key_of


def without_elements(nodes: Sequence[Step]) -> tuple[list[Step], list[Node]]:
    """Steps without those that take an element out of what is there before; and these.

    That is no work, and arms read no arrays then. Where an index is computed, the arm
    may run only if there is such an element.
    """
    made = {value for step in nodes for value in step.results}
    found: list[Step] = []
    taken: list[Node] = []
    for step in nodes:
        if _is_element(step) and _is_safe(step) and made.isdisjoint(step.inputs):
            taken.append(step)
        else:
            found.append(step)
    return found, taken


def read_once(graph: Program) -> Program:
    """The graph, where branches get elements that have been taken already."""
    users = Counter([value for step in graph.nodes for value in {*step.inputs}])
    of_arms = Counter(
        [value for step in graph.nodes if _is_branch(step) for value in {*step.inputs}]
    )
    stays = {*graph.results, *getattr(graph, "residuals", ())}
    found: list[Step] = []
    taken: dict[Hashable, Value] = {}
    same: dict[Value, Value] = {}
    for step in graph.nodes:
        if _is_element(step):
            (value,) = step.results
            first = taken.setdefault(key_of(step), value)
            is_ours = users[value] == of_arms[value] and value not in stays
            if first is not value and is_ours:
                same[value] = first
                continue
        found.append(step.with_values(same) if _is_branch(step) else step)
    return graph.with_nodes(tuple(found), {}) if same else graph


def _is_element(step: Step) -> TypeGuard[Node]:
    is_item = type(step) is Node and step.function is operator.getitem
    return is_item and step.results[0].kind == "scalar"


def _is_safe(step: Node) -> bool:
    """Whether it is one at a place that is known."""
    return not list(values_in(step.args[1]))


def _is_branch(step: Step) -> bool:
    return type(step) is Node and type(step.function) is Branch
