"""What depends on some values, and to which of these a gradient of zero may flow back.

Where nothing flows back, a zero may stand for nothing as long as it stays a zero: times
an infinite derivative it would be NaN.

>>> f8 = np.dtype(float)
>>> x, y, z = (Value((), f8, name, "scalar") for name in "xyz")
>>> steps = Node(np.negative, (x,), out=y), Node(np.sqrt, (y,), out=z)
>>> graph = Graph((x,), steps, (z,))
>>> depending(graph, {x}) == {x, y, z}, ends_of(graph, {x}, {x, y, z}) == {x, y}
(True, True)
"""

import math
import operator
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import numpy as np

from srcgrad.branches import Branch
from srcgrad.graph import Graph
from srcgrad.steps import Node, Step, Value
from srcgrad.unboxing import of_kind


def is_value(item: Any) -> bool:
    return type(item) is Value


def is_number(value: Value) -> bool:
    return value.dtype.kind in "fc"


def depending(graph: Graph, inputs: Collection[Value]) -> set[Value]:
    """The values that depend on some."""
    live = set(inputs)
    for step in graph.nodes:
        if not live.isdisjoint(step.inputs):
            live.update(filter(is_number, _results_depending(step, live)))
    return live


def _results_depending(step: Step, live: Collection[Value]) -> Iterable[Value]:
    """The results through which a gradient may flow: none does through a test."""
    function = step.function if type(step) is Node else None
    if type(step) is not Node or type(function) is not Branch:
        return step.results
    inside = [depending(arm, live_in(arm, step, live)) for arm in function.bodies]
    return _results_where(any, function, step, inside)


def _results_where(
    enough: Callable[[Iterable[bool]], bool],
    branch: Branch,
    node: Node,
    inside: Sequence[Collection[Value]],
) -> list[Value]:
    """The results that are among some values of their arm, in any or in all arms."""
    arms = [*zip(branch.bodies, inside, strict=True)]
    return [
        result
        for number, result in enumerate(node.results)
        if enough(arm.outputs[number] in own for arm, own in arms)
    ]


# The formula of this analysis: what hands a gradient on as it is, so that nothing comes
# of a zero but zeros.
HARMLESS = frozenset(
    {
        *(operator.getitem, np.negative, np.positive, np.add, np.subtract, np.reshape),
        *(operator.neg, operator.pos, operator.add, operator.sub),
        *(float, np.double, of_kind),
    }
)
MULTIPLYING = frozenset({np.multiply, operator.mul})
DIVIDING = frozenset({np.divide, operator.truediv})


def ends_of(
    graph: Graph, inputs: Collection[Value], live: Collection[Value]
) -> set[Value]:
    """The values to which a zero may flow back."""
    ends = set(inputs)
    for step in graph.nodes:
        if type(step) is not Node:
            continue
        if type(step.function) is Branch:
            ends.update(_ends_of_branch(step.function, step, ends, live))
        elif not _is_harmless(step):
            continue
        elif ends.issuperset(value for value in step.inputs if value in live):
            ends.update(step.results)
    return ends


def _ends_of_branch(
    branch: Branch, node: Node, ends: Collection[Value], live: Collection[Value]
) -> Iterable[Value]:
    """The results of a branch that are ends in both arms."""
    inside = []
    for arm in branch.bodies:
        pairs = [*zip(arm.inputs, node.args[1:], strict=True)]
        given = {v for v, arg in pairs if not is_value(arg) or arg not in live}
        given |= {v for v, arg in pairs if is_value(arg) and arg in ends}
        own = depending(arm, live_in(arm, node, live))
        # Nothing at all flows back to what does not depend on them.
        inside.append(ends_of(arm, given, own) | {*arm.outputs}.difference(own))
    return _results_where(all, branch, node, inside)


def _is_harmless(node: Node) -> bool:
    if node.function in HARMLESS:
        return True
    if node.function not in MULTIPLYING | DIVIDING or len(node.args) != 2:
        return False
    # By a number that is finite a zero stays one.
    first, factor = node.args
    if node.function in MULTIPLYING and not is_value(first):
        factor = first
    is_number = type(factor) in (int, float) and math.isfinite(factor)
    return is_number and (node.function in MULTIPLYING or factor != 0)


def live_in(body: Graph, node: Node, live: Collection[Value]) -> set[Value]:
    """The inputs of a body that may have a gradient."""
    if type(node.function) is Branch:
        pairs = zip(body.inputs, node.args[1:], strict=True)
        return {value for value, arg in pairs if is_value(arg) and arg in live}
    return _live_inside(node, live) | live_states(node.function, node, live)


def _live_inside(node: Node, live: Collection[Value]) -> set[Value]:
    """What a loop does not carry that may have a gradient."""
    loop: Any = node.function
    _, items, _, consts = loop.parameters()
    xs, _, outer = loop.given(node.args)
    found = set()
    for value, arg in zip((*items, *consts), (*xs, *outer), strict=True):
        args = arg if isinstance(arg, (tuple, list)) else (arg,)
        if any(is_value(each) and each in live for each in args):
            found.add(value)
    return found


def live_states(loop: Any, node: Node, live: Collection[Value]) -> set[Value]:
    """What a loop carries through which a gradient may flow."""
    _, _, states, _ = loop.parameters()
    first = loop.given(node.args)[1]
    others = _live_inside(node, live)
    found = {
        state
        for state, arg in zip(states, first, strict=True)
        if is_value(arg) and arg in live and is_number(state)
    }
    pairs = [*zip(states, loop.computed()[0], strict=True)]
    while True:
        inside = depending(loop.body, others | found)
        more = {
            state for state, value in pairs if value in inside and is_number(state)
        } - found
        if not more:
            return found
        found |= more
