"""Large arrays that are let go of before a function returns: ``del h``.

A name holds its array until the function returns. That is as well, except where more
memory would be held than has to be at any time: there, and nowhere else, is a ``del``.

>>> from srcgrad.emit.syntax import assignment, call, name
>>> from srcgrad.emit.unparse import unparse
>>> def step(to, of):
...     return assignment(target(to), call(name("f"), [name(of)]))
>>> chain = [step(*pair) for pair in ("ax", "ba", "cb", "dc")]
>>> large = [Memory({id}, 10**7) for id in "abcd"]
>>> print(unparse(gast.Module(deleting(chain, large), [])), end="")
a = f(x)
b = f(a)
del a
c = f(b)
del b
d = f(c)
"""

import itertools
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import gast
import numpy as np

from srcgrad.emit.syntax import BlankLine, Comment, target
from srcgrad.graph import Graph, walk
from srcgrad.loops import Loop
from srcgrad.policy import CONCERN, SLACK
from srcgrad.steps import Node, Step, Value


@dataclass(eq=False, slots=True)
class Memory:
    """An array that a function makes, and all names for it and for views of it."""

    names: set[str]
    size: int


# From where to where in a function arrays are spoken of.
Lives = dict[Memory, range]


def memories(graph: Graph, known: Mapping[Value, gast.expr]) -> list[Memory]:
    """The arrays that a function makes; ``known`` has what stands for each value."""
    graphs = [graph, *_bodies(graph)]
    sizes = [_size(step, v) for step, v in chain(*map(_arrays, graphs))]
    if sum(sizes) < CONCERN:
        return []  # as most often: too few to be of concern
    return [*chain(*(_made_in(each, known) for each in graphs))]


def _arrays(graph: Graph) -> list[tuple[Step, Value]]:
    """What may take memory of some size, and the steps that make it."""
    return [
        (step, value)
        for step in graph.nodes
        for value in step.results
        if value.shape or value.kind == "list"
    ]


def deleting(
    statements: Sequence[gast.stmt], memories: Collection[Memory], room: int = 0
) -> list[gast.stmt]:
    """Insert ``del`` statements where memory is worth them.

    ``room``: how much may be held in any case.
    """
    if sum(memory.size for memory in memories) < CONCERN:
        return [*statements]
    lives = _lives(statements, memories)
    local = _local(statements, memories)
    for position, inside in local.items():
        most = _most_held(_lives(statements[position].body, inside))
        lives[Memory(set(), most)] = range(position, position + 1)
    needed = _most_held(lives)
    slack = needed // SLACK
    limit = max(needed + slack, room)
    for position, inside in local.items():
        others = (m.size for m, life in lives.items() if position in life and m.names)
        loop = statements[position]
        loop.body = _iteration(loop.body, inside, limit - sum(others), slack)
    if sum(memory.size for memory in lives) < limit + CONCERN:
        return [*statements]
    return _written(statements, lives, limit)


def _made_in(graph: Graph, known: Mapping[Value, gast.expr]) -> list[Memory]:
    origins, found = graph.origins(), dict[Value, Memory]()
    by_name: dict[str, Memory] = {}
    for step in graph.nodes:
        for value in step.results:
            expr = known.get(value)
            names = {expr.id} if isinstance(expr, gast.Name) else set()
            for origin in origins.get(value, ()):
                if origin in found:  # or else it is the caller's
                    found[origin].names |= names
            if value not in origins:
                made = Memory(names, _size(step, value))
                for id in names:  # what is changed in place has one name
                    made = by_name.setdefault(id, made)
                found[value] = made
    return [*dict.fromkeys(found.values())]


def _bodies(graph: Graph) -> list[Graph]:
    if not graph.has_bodies:
        return []
    return [body for step in walk(graph) for body in step.bodies]


def _size(step: Step, value: Value) -> int:
    """How many bytes an array has of its own."""
    function = step.function if type(step) is Node else None
    if value.kind not in ("array", "list") or function is np.broadcast_to:
        return 0
    count = function.count if type(function) is Loop and value.kind == "list" else 1
    return math.prod(value.shape) * value.dtype.itemsize * count


def _lives(statements: Sequence[gast.stmt], memories: Collection[Memory]) -> Lives:
    """Those of arrays whose names are first spoken of where they are bound."""
    spoken, bound = _spoken(statements), set[str]()
    for position, statement in enumerate(statements):
        if isinstance(statement, gast.Assign):
            read = _names(statement.value)
            bound |= {
                id
                for where in statement.targets
                for id in _names(where) - read
                if spoken[id][0] == position
            }
    lives = {}
    for memory in memories:
        if memory.names and memory.names <= bound:
            positions = [position for id in memory.names for position in spoken[id]]
            lives[memory] = range(min(positions), max(positions) + 1)
    return lives


def _local(
    statements: Sequence[gast.stmt], memories: Collection[Memory]
) -> dict[int, list[Memory]]:
    """For the place of each loop the arrays that nothing outside it speaks of."""
    spoken = _spoken(statements)
    local: dict[int, list[Memory]] = {
        position: []
        for position, statement in enumerate(statements)
        if isinstance(statement, (gast.For, gast.While))
    }
    for memory in memories:
        positions = {position for id in memory.names for position in spoken.get(id, ())}
        if len(positions) == 1 and (position := positions.pop()) in local:
            local[position].append(memory)
    return local


def _spoken(statements: Sequence[gast.stmt]) -> dict[str, list[int]]:
    """Where each name is spoken of."""
    spoken: dict[str, list[int]] = {}
    for position, statement in enumerate(statements):
        for id in _names(statement):
            spoken.setdefault(id, []).append(position)
    return spoken


def _names(tree: gast.AST) -> set[str]:
    return {node.id for node in gast.walk(tree) if isinstance(node, gast.Name)}


def _most_held(lives: Lives) -> int:
    """How many bytes have to be held at the same time."""
    changes = [(life.start, memory.size) for memory, life in lives.items()]
    changes += [(life.stop, -memory.size) for memory, life in lives.items()]
    return max(itertools.accumulate(change for _, change in sorted(changes)), default=0)


def _written(
    statements: Sequence[gast.stmt], lives: Lives, limit: int
) -> list[gast.stmt]:
    """Let go of what is not read any more wherever else the limit would be passed."""
    written: list[gast.stmt] = []
    held: list[Memory] = []
    deleted: set[str] = set()
    for position, statement in enumerate(statements):
        held += [memory for memory, life in lives.items() if life.start == position]
        gone = [memory for memory in held if lives[memory].stop <= position]
        if gone and sum(memory.size for memory in held) > limit:
            # What a list keeps may be among several, and have the name of each.
            names = {id for memory in gone for id in memory.names} - deleted
            deleted |= names
            _insert(written, names)
            held = [memory for memory in held if memory not in gone]
        written.append(statement)
    return written


def _insert(written: list[gast.stmt], names: Collection[str]) -> None:
    """Let go of what has some names, at the end of the lines that belong together."""
    position = len(written)
    while position and isinstance(written[position - 1], (BlankLine, Comment)):
        position -= 1
    if names:
        written.insert(position, gast.Delete([target(id) for id in sorted(names)]))


def _iteration(
    body: Sequence[gast.stmt], memories: Collection[Memory], room: int, slack: int
) -> list[gast.stmt]:
    """The same for an iteration: what it leaves is there in the next, and after it."""
    written = deleting(body, memories, room)
    deleted = [each for each in written if isinstance(each, gast.Delete)]
    gone = {id for each in deleted for id in _names(each)}
    left = [each for each in _lives(body, memories) if each.names.isdisjoint(gone)]
    if sum(memory.size for memory in left) > max(slack, CONCERN):
        _insert(written, {id for memory in left for id in memory.names})
    return written
