"""``counts_matter``: whether the inputs that have a gradient depend on loops' counts.

On the tape a gradient comes to what a result was computed from: if a loop does not run,
not to what is used in it alone; if it runs once, not to what takes two iterations to
get to the result. Generated code has a gradient of an input or has none, for any count.

>>> import numpy as np
>>> from srcgrad.loops import ExitCondition
>>> x, a, y, h, t, b = (Value((), np.dtype(float), name, "scalar") for name in "xayhtb")
>>> body = Graph((h, b), (Node(np.multiply, (h, b), out=t),), (t,))
>>> loop = Loop(body, count=3, carried=1, exit_condition=ExitCondition())
>>> graph = Graph((x, a), (Node(loop, (x, a), out=(y,)),), (y,))
>>> counts_matter(graph, [y], {x}), counts_matter(graph, [y], {x, a})
(False, True)
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from typing import Any

from srcgrad.branches import Branch
from srcgrad.graph import Graph, Joint
from srcgrad.loops import Loop
from srcgrad.rules.registry import PRIMITIVES
from srcgrad.steps import Node, Value, values_in
from srcgrad.tracing.graphs.reach import Reach
from srcgrad.transforms.branches.depending import is_number

# What may be the case at some count, and what is at each.
EVER, ALWAYS = set[Any].union, set[Any].intersection
Join = Callable[..., set[Any]]


def counts_matter(
    graph: Graph, roots: Iterable[Value], active: Collection[Value]
) -> bool:
    """Whether an input has a gradient from a root at some counts, not at others."""
    for root in roots:
        ever, always = (_reached(graph, {root}, join) for join in (EVER, ALWAYS))
        if not (ever - always).isdisjoint(active):
            return True
    return False


def as_reached(graph: Joint, reach: Reach) -> Joint:
    """The graph without gradients of inputs that no walk on the tape comes to.

    A loop has zeros for them: it says of all its iterations at once what flows.
    """
    ends = reach.ends_from(-1)
    gradients = tuple(
        gradient if ends >> number & 1 else None
        for number, gradient in enumerate(graph.gradients)
    )
    return replace(graph, gradients=gradients)


def _reached(graph: Graph, roots: Iterable[Value], join: Join) -> set[Value]:
    """What a gradient comes to from some roots, as on the tape."""
    found = set(filter(is_number, roots))
    for step in reversed(graph.nodes):
        if type(step) is Node and not found.isdisjoint(step.results):
            found.update(filter(is_number, _reached_by(step, found, join)))
    return found


def _reached_by(node: Node, found: Collection[Value], join: Join) -> Iterable[Value]:
    function: Any = node.function
    if type(function) is Loop:
        return join(*(walk.reached() for walk in _walks(function, node, found, join)))
    if type(function) is Branch:
        return join(*(_reached_by_arm(a, node, found, join) for a in function.bodies))
    primitive = PRIMITIVES.get(function)
    return node.inputs if primitive is not None and primitive.rules else ()


def _reached_by_arm(
    arm: Graph, node: Node, found: Collection[Value], join: Join
) -> set[Value]:
    pairs = zip(node.results, arm.outputs, strict=True)
    inside = _reached(arm, [own for result, own in pairs if result in found], join)
    given = zip(arm.inputs, node.args[1:], strict=True)
    return {v for own, arg in given if own in inside for v in values_in(arg)}


def _walks(
    loop: Loop, node: Node, found: Collection[Value], join: Join
) -> "Iterator[_Walk]":
    """Walks back through a loop: one for each count that it may have."""
    walk = _Walk(loop, node, found, join)
    if loop.exit_condition is None:
        for number in reversed(loop.order):
            walk.go_back(number)
        yield walk
        return
    if loop.may_be_empty:
        yield walk
    seen: set[Any] = set()
    while walk.state not in seen:
        seen.add(walk.state)
        walk.go_back()
        yield walk


class _Walk:
    """A walk back through a loop, so far.

    ``states`` are those that it has come to, ``others`` the arguments that are items or
    around.
    """

    def __init__(
        self, loop: Loop, node: Node, found: Collection[Value], join: Join
    ) -> None:
        self.loop, self.node, self.found, self.join = loop, node, found, join
        carried, last, ys, _ = loop.results(node.results)
        self.states = {i for i, value in enumerate(carried) if value in found}
        self.others: set[Value] = set()
        own = zip(loop.computed()[1], last, strict=True)
        self._last = {value for value, result in own if result in found}
        self._ys = [*zip(loop.computed()[2], loop.items_of(ys), strict=True)]
        # There are few ways through the body, and maybe many iterations.
        self._known: dict[frozenset[Value], set[Value]] = {}

    @property
    def state(self) -> Any:
        """What all that comes depends on."""
        return frozenset(self.states), frozenset(self.others), frozenset(self._last)

    def go_back(self, number: int = 0) -> None:
        """Go back through an iteration; ``number`` counts if there are items of it."""
        loop = self.loop
        carried = loop.computed()[0]
        roots = {carried[i] for i in self.states} | self._last
        self._last = set()
        roots.update(own for own, items in self._ys if items[number] in self.found)
        inside = self._inside(frozenset(roots))
        _, items, states, consts = loop.parameters()
        xs, _, outer = loop.given(self.node.args)
        self.states = {i for i, state in enumerate(states) if state in inside}
        for item, sequence in zip(items, xs, strict=True):
            if item in inside:
                self.others.update(values_in(sequence[number]))
        for parameter, arg in zip(consts, outer, strict=True):
            if parameter in inside:
                self.others.update(values_in(arg))

    def _inside(self, roots: frozenset[Value]) -> set[Value]:
        if roots not in self._known:
            self._known[roots] = _reached(self.loop.body, roots, self.join)
        return self._known[roots]

    def reached(self) -> set[Value]:
        """The arguments that it has come to, if the loop begins here."""
        first = self.loop.given(self.node.args)[1]
        return {v for i in self.states for v in values_in(first[i])} | self.others
