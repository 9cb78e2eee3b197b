"""Tangents of functions that have one of their own: ``defjvp``.

``jvp`` walks back, and then along that walk. Of the first walk only the derivative is
wanted, and since it is linear in its cotangents, these may be any numbers. Where a
function has a tangent of its own, any numbers stand in the place of its gradient, too,
and the way back of these is the tangent, rather than the transpose of a transpose.
"""

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.modes import state
from srcgrad.rules.registry import TANGENTS, Tangent
from srcgrad.tape.function import Edge, Needed, meta_of
from srcgrad.tape.rule_function import Plan, RuleFunction

# Of its multiples the parts behind the point lie apart from each other, evenly.
GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0


def arbitrary(shape: tuple[int, ...], dtype: np.dtype[Any], is_array: bool) -> Any:
    """Numbers that no rule looks for, as they do for zeros between eigenvalues."""
    numbers = 1.0 + np.modf(np.arange(1.0, math.prod(shape) + 1.0) * GOLDEN)[0]
    array = numbers.reshape(shape).astype(dtype)
    return array if is_array else array[()]


class Turned(RuleFunction):
    """What stands for a gradient of a node; its way back is the node's tangent."""

    __slots__ = ("node",)

    node: RuleFunction

    def pull_back(self, g: Any, needed: Any, wrap: Any) -> Sequence[Any]:
        (found,) = super().pull_back(g, needed, wrap)
        return found if type(found) is tuple else (found,)

    def _wrapped(self, wrap: Any, saved: tuple[Any, ...]) -> tuple[Any, ...]:
        return self.node._wrapped(wrap, saved)


class TurnedPlan:
    """The plan of a node with one of its tangents for the only rule."""

    __slots__ = ("rules", "saves_data", "saves_options", "tangents")

    def __init__(self, plan: Plan, tangent: Tangent) -> None:
        self.saves_data, self.saves_options = plan.saves_data, plan.saves_options
        self.tangents = False
        slots = tuple(plan.needs.index(need) for need in tangent.needs)
        self.rules = ((functools.partial(_forth, tangent), slots),)


def _forth(tangent: Tangent, t: Any, *saved: Any) -> Any:
    return tangent.choose(*saved)(t)


def turned(
    node: RuleFunction, g: Any, saved: tuple[Any, ...], needed: Needed | None
) -> Sequence[Any]:
    """What stands for the gradients of a node, in a walk to be differentiated."""
    tangents, plan = TANGENTS[node.primitive.function], node.plan
    gradients: list[Any] = []
    for number, (name, (vjp, slots)) in enumerate(
        zip(plan.names, plan.rules, strict=True)
    ):
        edge = node.edges[number]
        if edge is None or (needed is not None and edge[0] not in needed):
            gradients.append(None)
            continue
        tangent = tangents.get(name)
        if tangent is not None:
            given = [saved[plan.needs.index(need)] for need in tangent.needs]
            if tangent.choose(*given) is None:
                tangent = None
        if tangent is None:
            gradients.append(vjp(g, *[saved[slot] for slot in slots]))
        else:
            gradients.append(_stand_in(node, edge, tangent, g))
    return gradients


def _stand_in(node: RuleFunction, edge: Edge, tangent: Tangent, g: Any) -> Any:
    shape, dtype = meta_of(edge)
    raw = arbitrary(shape, dtype, bool(shape))
    cotangents = (g,) if node.metas is None else g
    edges = [getattr(each, "edge", None) for each in cotangents]
    assert node.saved is not None
    made: Any = Turned.link(tuple(edges), raw, node.saved, node.versions)
    made.node, made.counts, made.plan = node, None, TurnedPlan(node.plan, tangent)
    variable = node.variable_class.make(raw, (made, 0))
    if state.recorder is not None:
        state.recorder.holds(variable)
        state.recorder.entered(variable)
    return variable


RuleFunction.turned = staticmethod(turned)
