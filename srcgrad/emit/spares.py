"""Large arrays that a function works in, and leaves to its next call: spares.

Memory that an allocator gives back to the system after a call, and gets anew page by
page in the next, takes up to a seventh of the time of elementwise programs. So a
function keeps arrays that nobody else has seen, and writes into those that nobody reads
any more:

>>> f8 = np.dtype(float)
>>> x, a, b, c = (Value((1000, 1000), f8, name) for name in "xabc")
>>> y = Value((), f8, "y")
>>> steps = (np.sin, x, a), (np.cos, a, b), (np.tan, b, c), (np.sum, c, y)
>>> nodes = tuple([Node(function, (arg,), out=out) for function, arg, out in steps])
>>> spared(Graph((x,), nodes, (y,)), {y}, {}).into == {a: a, b: a, c: b}
True

What is returned or saved is never in one, nor is anything that shares its memory, or
that other code than NumPy's has seen. Two calls at once never have the same one.
"""

import math
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple, TypeGuard

import gast
import numpy as np

from srcgrad.emit.overwriting import AUGMENTING
from srcgrad.emit.scope import SPARES, Scope
from srcgrad.emit.syntax import (
    STORE,
    Comment,
    assignment,
    attribute,
    call,
    constant,
    made,
    name,
    sequence,
    target,
    unpack,
)
from srcgrad.emit.unboxed import BORDER
from srcgrad.facts import FACTS
from srcgrad.graph import Graph
from srcgrad.kinds_of_facts import Facts
from srcgrad.policy import MOST_SPARE, SPARE
from srcgrad.steps import Node, Step, Value

Homes = Mapping[Value, set[Value]]


class Spared(NamedTuple):
    """What is written where.

    Attributes
    ----------
    into : mapping
        For each array that is made by ``out=`` the one that it is made in, which nobody
        reads any more: itself, if that is what the call before has left.
    augmented : mapping
        For each that is made by ``x += y`` what that ``x`` was.
    """

    into: Mapping[Value, Value] = {}
    augmented: Mapping[Value, Value] = {}


def spared(
    graph: Graph, kept: Iterable[Value], sources: Mapping[Value, Value]
) -> Spared:
    """Find what may be made in spares; ``kept`` are returned or saved.

    ``sources`` has what is changed in place anyway: for each array what it was.
    """
    if not any(map(_is_large, graph.nodes)) or any(map(_asks_for_order, graph.nodes)):
        return Spared()
    views, homes = graph.origins(), _homes(graph, sources)
    last = {
        home: position
        for position, step in enumerate(graph.nodes)
        for home in _homes_of(step.inputs, homes)
    }
    hidden = last.keys() - sources.keys() - _seen(graph, kept, homes).keys()
    hidden -= {*_in_choices(graph, sources)}
    into: dict[Value, Value] = {}
    augmented: dict[Value, Value] = {}
    idle: list[Value] = []  # nobody reads them any more
    room = MOST_SPARE
    for position, step in enumerate(graph.nodes):
        made = [v for v in _homes_of(step.inputs, homes) if v in into or v in augmented]
        gone = [home for home in made if last[home] == position]
        if _is_large(step) and (out := step.results[0]) in hidden:
            operands = _operands(step, gone, homes)
            likes = (v for v in (*operands, *idle[::-1]) if _is_like(v, out))
            array = next(likes, None)
            if array in operands and _is_augmented(step, operands[array], views):
                augmented[out] = operands[array]
            elif array is not None:
                into[out] = array
            elif _size(out) <= room:
                into[out] = out
                room -= _size(out)
            idle, gone = _without(array, idle), _without(array, gone)
        idle += gone
    return Spared(into, augmented)


def _is_large(step: Step) -> TypeGuard[Node]:
    """Whether a step may write its result into an array that is worth being kept."""
    return (
        type(step) is Node
        and type(step.function) is np.ufunc
        and not step.kwargs
        and type(step.out) is Value
        and step.out.kind == "array"
        and not step.out.dtype.hasobject
        and _size(step.out) >= SPARE
    )


def _asks_for_order(step: Step) -> bool:
    """Whether it reads in the order of memory, which other arrays may have another."""
    given = (*step.args, *step.kwargs.values()) if type(step) is Node else ()
    return any(type(item) is str and item in ("A", "K") for item in given)


def _size(array: Value) -> int:
    return math.prod(array.shape) * array.dtype.itemsize


def _is_like(one: Value, other: Value) -> bool:
    return (one.shape, one.dtype) == (other.shape, other.dtype)


def _without(array: Value | None, arrays: Iterable[Value]) -> list[Value]:
    return [each for each in arrays if each is not array]


def _homes(graph: Graph, sources: Mapping[Value, Value]) -> Homes:
    """For each value the arrays in whose memory it may be, as they were made."""
    homes: dict[Value, set[Value]] = {}
    origins = graph.origins()
    for step in graph.nodes:
        for value in step.results:
            before = {sources[value]} if value in sources else origins.get(value, ())
            homes[value] = {*_homes_of(before, homes)} or {value}
    return homes


def _homes_of(values: Iterable[Value], homes: Homes) -> dict[Value, None]:
    """The arrays in whose memory some values may be; those of the caller, too."""
    return {home: None for value in values for home in homes.get(value, (value,))}


def _seen(graph: Graph, kept: Iterable[Value], homes: Homes) -> dict[Value, None]:
    """The arrays that others see: the caller, loops, and what is not NumPy's.

    And those that give their names away (``BORDER``).
    """
    seen = [*kept]
    for step in graph.nodes:
        known = FACTS[step.function] if type(step) is Node else Facts()
        acts = step.bodies or known.effect or known.calls
        if acts or step.function in BORDER:
            seen += step.inputs
    return _homes_of(seen, homes)


def _in_choices(graph: Graph, sources: Mapping[Value, Value]) -> list[Value]:
    """What is written where it is chosen: `np.copyto(x, 2.0 * y, where=x > 0.0)`."""
    choices = {
        step for step in graph.nodes if not sources.keys().isdisjoint(step.results)
    }
    return [value for value, user in graph.only_users().items() if user in choices]


def _operands(node: Node, gone: Iterable[Value], homes: Homes) -> dict[Value, Value]:
    """The operands that a node may write into, by the arrays that they are."""
    if not FACTS[node.function].elementwise:
        return {}
    return {
        home: operand
        for home in gone
        for operand in node.inputs
        if homes.get(operand) == {home}
    }


def _is_augmented(node: Node, operand: Value, views: Collection[Value]) -> bool:
    """Whether a node is ``x += y``, and reads well so."""
    function, out = node.function, node.results[0]
    if function not in AUGMENTING or operand in views:
        return False
    commutes = FACTS[function].commutes and out.dtype.kind != "c"
    is_changed = node.args[0] is operand or commutes
    return is_changed and operand.name in (None, out.name)


# ----- What is written -----
def _table(scope: Scope) -> gast.expr:
    """The name of the module's table of spares, by the numbers of its functions."""
    if not scope.has_table:
        scope.has_table = True
        comment = Comment("Arrays to work in, left by the call before.")
        scope.statements += [comment, assignment(target(SPARES), gast.Dict([], []))]
    return name(SPARES)


def taken(scope: Scope, number: int, arrays: Iterable[Value]) -> gast.stmt:
    """``a, b = spares.pop(0, (None, None))``: of no array ``out=`` makes a new one."""
    names = [scope.known[array].id for array in arrays]
    none = sequence([constant(None)] * len(names))
    pop = attribute(_table(scope), "pop")
    return unpack(names, call(pop, [constant(number), none]))


def left(scope: Scope, number: int, arrays: Iterable[Value]) -> gast.stmt:
    """``spares[0] = a, b``: of two calls at once, those of one."""
    place = made(gast.Subscript, value=_table(scope), slice=constant(number), ctx=STORE)
    return assignment(place, sequence(scope.known[array] for array in arrays))
