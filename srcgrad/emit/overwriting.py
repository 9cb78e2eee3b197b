"""Which arrays a function may change in place, for nobody looks at them any more.

In a graph nothing ever changes: ``assign(x, 0, v)`` is a new array. Written down it is
``x[0] = v`` if ``x`` is an array made by this function, and neither it nor a view of it
is looked at later, returned or saved; else it is changed in a copy.

>>> from srcgrad.updates import assign
>>> x, h, y, s = (Value((3,), np.dtype(float), name) for name in "xhys")
>>> nodes = Node(np.exp, (x,), out=h), Node(assign, (h, 0, 1.0), out=y)
>>> overwriting(Graph((x,), nodes, (y,)), kept=(y,)).successors == {h: y}
True
>>> nodes = *nodes, Node(np.sin, (h,), out=s)
>>> overwriting(Graph((x,), nodes, (y, s)), kept=(y, s)).successors
{}
"""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

import numpy as np

from srcgrad.emit.choices_in_place import arrays_to_choose_in
from srcgrad.facts import facts_of
from srcgrad.graph import Graph
from srcgrad.loops import Loop, owned_results, owned_states
from srcgrad.steps import Guard, Node, Step, Value, values_in
from srcgrad.updates import UPDATES
from srcgrad.views import is_basic

# Kinds of what may be written into: arrays, and lists of floats.
OWNED_KINDS = frozenset({"array", "floats"})

# The formula of this pass: what changes a whole array in place if the result has the
# same name, `h += 1.0`.
AUGMENTING = frozenset({np.add, np.subtract, np.multiply, np.divide})
WRITING = AUGMENTING.union(UPDATES, (np.where,))


class Overwriting(NamedTuple):
    """Who writes where.

    Attributes
    ----------
    successors : mapping
        For an array that may be changed in place, what it is changed into.
    sources : mapping
        The same the other way round.
    filled : collection of Value
        Broadcasts of one number that have to be arrays of their own for that.
    origins : mapping
        See ``Graph.origins``.
    """

    successors: Mapping[Value, Value] = {}
    sources: Mapping[Value, Value] = {}
    filled: Collection[Value] = ()
    origins: Mapping[Value, set[Value]] = {}

    def is_in(self, value: Value, array: Value) -> bool:
        """Whether a Value may be in the memory of an array."""
        return value is array or array in self.origins.get(value, ())

    def also(self, sources: Mapping[Value, Value]) -> "Overwriting":
        """The same with more that is changed in place: for each array what it was."""
        successors = {array: out for out, array in sources.items()}
        return self._replace(
            successors={**self.successors, **successors},
            sources={**self.sources, **sources},
        )

    def made_as(self, value: Value) -> Value:
        """The array that was made to be changed in place into another."""
        while value in self.sources:
            value = self.sources[value]
        return value


def overwriting(
    graph: Graph, kept: Iterable[Value], owned: Iterable[Value] = ()
) -> Overwriting:
    """Find the arrays that may be changed in place; ``kept`` are returned or saved.

    ``owned`` are those of the inputs that nobody else sees.
    """
    # The steps that may change something in place.
    changing = {
        step
        for step in graph.nodes
        if step.bodies or (step.function in WRITING and _may_change(step))
    }
    if not changing:
        return Overwriting()
    origins = _origins(graph)
    last = _last_looks(graph, kept, origins)
    own = set(owned)
    made: set[Value] = set()
    lazy: set[Value] = set()
    successors: dict[Value, Value] = {}
    filled: set[Value] = set()
    for position, node in enumerate(graph.nodes):
        if type(node) is Guard:
            continue
        if node.bodies and loop_of(node) is not None:
            for begun, out in _overwritten(node).items():
                if begun in own and last[begun] == position:
                    successors[begun] = out
            own |= owned_results(node, {v for v in own if last.get(v) == position})
        if type(node.out) is not Value:
            continue
        array = changed(node) if node in changing else None
        if node.function is np.where and node in changing:
            array = next(
                (each for each in arrays_to_choose_in(node) if each in made), None
            )
        if (
            array is not None
            and (array in own or array in lazy)
            and last[array] == position
            and _copes_with_overlaps(node, array, origins)
        ):
            successors[array] = node.out
            if array in lazy:
                filled.add(array)
        if node.out.kind in OWNED_KINDS and not node.shares_memory:
            own.add(node.out)
            made.add(node.out)
        elif node.function is np.broadcast_to and node.out not in origins:
            lazy.add(node.out)
    sources = {out: array for array, out in successors.items()}
    return Overwriting(successors, sources, filled, origins)


def _origins(graph: Graph) -> Mapping[Value, set[Value]]:
    """In whose memory arrays are, once they are written down.

    A loop that does not run gives back what it began with, but not where it changes
    that in place: it has a copy then, or takes it over.
    """
    origins = dict(graph.origins())
    for node in graph.nodes if graph.has_bodies else ():
        loop = loop_of(node)
        if type(node) is Node and loop is not None and loop.may_be_empty:
            for begun, out in _overwritten(node).items():
                apart = {begun, *origins.get(begun, ())}
                origins[out] = origins.get(out, set()) - apart
    return origins


def loop_of(node: Step) -> Loop | None:
    """The loop that a node runs, if it runs one."""
    is_loop = type(node) is Node and type(node.function) is Loop
    return node.function if is_loop else None  # type: ignore[return-value]


def _overwritten(node: Node) -> dict[Value, Value]:
    """What a loop is given first, and changes in place from then on."""
    loop: Loop = node.function  # type: ignore[assignment]
    owned = owned_states(loop)
    within = overwriting(loop.body, loop.body.outputs, owned).successors
    first, results = loop.given(node.args)[1], loop.results(node.results)[0]
    each = zip(loop.parameters()[2], first, results, strict=True)
    return {
        array: out
        for state, array, out in each
        if state in within and type(array) is Value and node.inputs.count(array) == 1
    }


def _may_change(step: Step) -> bool:
    """Whether a step may give back what it is given, changed; a first look."""
    if step.function in AUGMENTING and step.results[0].name is None:
        return False  # as of most
    return changed(step) is not None or bool(arrays_to_choose_in(step))


def changed(node: Step) -> Value | None:
    """The array that a node gives back changed, and that is wanted so, if there is one.

    Anything else gives new arrays because the user wanted a new one.
    """
    if type(node) is not Node or node.kwargs or type(node.out) is not Value:
        return None
    if node.function in UPDATES:
        return _like(node.args[0], node.out)
    if node.function not in AUGMENTING or node.out.name is None:
        return None
    first, second = node.args
    commutes = facts_of(node.function).commutes and node.out.dtype.kind != "c"
    for operand in (first, second) if commutes else (first,):
        if type(operand) is Value and operand.name == node.out.name:
            return _like(operand, node.out)
    return None


def _like(operand: object, out: Value) -> Value | None:
    """An operand that is an array just like the result."""
    if type(operand) is not Value or operand.kind not in OWNED_KINDS:
        return None
    is_like = (operand.shape, operand.dtype) == (out.shape, out.dtype)
    return operand if is_like and out.kind == operand.kind else None


def _last_looks(
    graph: Graph, kept: Iterable[Value], origins: Mapping[Value, set[Value]]
) -> dict[Value, int]:
    """For each array the last step that reads its memory; none comes after the end."""
    last: dict[Value, int] = {}
    looks = [(position, step.inputs) for position, step in enumerate(graph.nodes)]
    for position, values in (*looks, (len(graph.nodes), kept)):
        for value in values:
            if value in origins:
                last.update(dict.fromkeys(origins[value], position))
            last[value] = position
    return last


def _copes_with_overlaps(
    node: Node, array: Value, origins: Mapping[Value, set[Value]]
) -> bool:
    """Whether the new elements, read from the array itself perhaps, are the right ones.

    NumPy makes the copies that it takes, but does not promise to for arrays as indices.
    """
    if node.function not in UPDATES or is_basic(node.args[1]):
        return True
    others = values_in(node.args[1:])
    return not any(v is array or array in origins.get(v, ()) for v in others)
