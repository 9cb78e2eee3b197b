"""``Loop``: the function of a node that runs a graph, its body, again and again.

>>> import numpy as np
>>> f8 = np.dtype(float)
>>> x, h, t = Value((), f8, "x"), Value((), f8, "h"), Value((), f8, "t")
>>> nodes = (Node(np.multiply, (h, x), out=t),)
>>> power = Loop(Graph((h, x), nodes, (t,)), count=3, carried=1)
>>> power(1.0, 2.0)
(np.float64(8.0),)

A body takes, in this order, what depends on the iteration's number: *indices*, and one
item of *each* of some sequences; what is *carried* from one iteration to the next; and
what is *around*, the same in all. It returns what is carried on, then what is wanted of
the *last* iteration, and what is *kept* of every one: the results of the node hold the
items one by one, or as a *list*, a Value of that kind.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from srcgrad.graph import Graph, Node, Value, evaluate


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """``for index in range(count): carried = body(index, *each, *carried, *around)``.

    Attributes
    ----------
    body : Graph
        What one iteration computes.
    count : int
        How many there are.
    indices : tuple of (int, int)
        For each index where it starts, and its step.
    each, carried, last, kept, lists : int
        How many of these there are.
    is_reversed : bool
        Whether the last iteration runs first. All sequences are numbered as if it did
        not.
    """

    body: Graph
    count: int
    indices: tuple[tuple[int, int], ...] = ()
    each: int = 0
    carried: int = 0
    last: int = 0
    kept: int = 0
    lists: int = 0
    is_reversed: bool = False

    __name__ = "loop"

    @property
    def bodies(self) -> tuple[Graph, ...]:
        """What it runs."""
        return (self.body,)

    def with_bodies(self, bodies: tuple[Graph, ...]) -> "Loop":
        """The same with another body, which computes the same."""
        return replace(self, body=bodies[0])

    @property
    def order(self) -> range:
        """The numbers of the iterations in the order in which they run."""
        numbers = range(self.count)
        return numbers[::-1] if self.is_reversed else numbers

    # ----- The parts of a node and of its body -----

    def parameters(self) -> tuple[Sequence[Value], ...]:
        """The body's inputs: indices, items of each, carried, around."""
        return _parts(self.body.inputs, (len(self.indices), self.each, self.carried))

    def given(self, args: Sequence[Any]) -> tuple[Sequence[Any], ...]:
        """A node's arguments: each sequence, what is carried at first, around."""
        return _parts(args, (self.each, self.carried))

    def computed(self) -> tuple[Sequence[Value], ...]:
        """The body's outputs: carried, last, kept one by one, kept in lists."""
        return _parts(self.body.outputs, (self.carried, self.last, self.kept))

    def results(self, out: Sequence[Any]) -> tuple[Sequence[Any], ...]:
        """A node's results: carried, last, all that is kept, lists."""
        return _parts(out, (self.carried, self.last, self.kept * self.count))

    def items_of(self, kept: Sequence[Any]) -> Iterator[Sequence[Any]]:
        """Of all that is kept one by one, the items of one sequence after another."""
        for number in range(self.kept):
            yield kept[number * self.count : (number + 1) * self.count]

    def __call__(self, *args: Any) -> tuple[Any, ...]:
        each, state, around = self.given(args)
        rest: Sequence[Any] = ()
        kept: list[Any] = [[None] * self.count for _ in range(self.kept + self.lists)]
        for number in self.order:
            indices = [start + step * number for start, step in self.indices]
            items = [sequence[number] for sequence in each]
            found = evaluate(self.body, (*indices, *items, *state, *around))
            state, rest = found[: self.carried], found[self.carried :]
            for sequence, item in zip(kept, rest[self.last :], strict=True):
                sequence[number] = item
        flat = [item for sequence in kept[: self.kept] for item in sequence]
        return (*state, *rest[: self.last], *flat, *kept[self.kept :])

    # ----- Memory -----

    def sources(self, node: Node) -> dict[Value, set[Value]]:
        """For each array that it gives the arrays in whose memory that may be."""
        origins = self.body.origins()
        _, items, states, around = self.parameters()
        each, first, outer = self.given(node.args)
        under: dict[Value, set[Value]] = {
            parameter: _arrays(item)
            for parameter, item in zip(
                (*items, *states, *around), (*each, *first, *outer), strict=True
            )
        }
        carried, *others = self.computed()

        def sources_of(value: Value) -> set[Value]:
            inner = origins.get(value, {value})
            return set[Value]().union(*(under.get(v, ()) for v in inner))

        for _ in states:  # what is carried may wander from one to the next
            for state, value in zip(states, carried, strict=True):
                under[state] = under[state] | sources_of(value)
        last, kept, lists = others
        results = self.results(node.results)
        found = list(zip(results[0], map(sources_of, carried), strict=True))
        found += zip(results[1], map(sources_of, last), strict=True)
        for value, sequence in zip(kept, self.items_of(results[2]), strict=True):
            found += [(item, sources_of(value)) for item in sequence]
        found += zip(results[3], map(sources_of, lists), strict=True)
        return {value: sources for value, sources in found if sources}


def owned_states(function: Loop) -> frozenset[Value]:
    """What is carried in arrays that nobody else sees, if the first one is such."""
    body = function.body
    origins = body.origins()
    states, carried = function.parameters()[2], function.computed()[0]

    def memory(value: Value) -> set[Value]:
        return origins.get(value, {value})

    owned = set()
    for number, (state, value) in enumerate(zip(states, carried, strict=True)):
        others = (v for i, v in enumerate(body.outputs) if i != number)
        own = memory(value)
        is_apart = not any(own & memory(other) for other in others)
        is_alone = own <= {value, state} and value not in body.inputs
        if is_apart and is_alone and state.kind == value.kind == "array":
            owned.add(state)
    return frozenset(owned)


def owned_results(node: Node) -> set[Value]:
    """The results of a loop that are arrays which nobody else sees."""
    function: Any = node.function
    states, owned = function.parameters()[2], owned_states(function)
    carried = function.results(node.results)[0]
    pairs = zip(states, carried, strict=True)
    return {value for state, value in pairs if state in owned}


def _parts(items: Sequence[Any], counts: Sequence[int]) -> tuple[Sequence[Any], ...]:
    """A sequence in parts of some lengths, and the rest."""
    parts, start = [], 0
    for count in counts:
        parts.append(items[start : start + count])
        start += count
    return (*parts, items[start:])


def _arrays(item: Any) -> set[Value]:
    items = item if isinstance(item, (tuple, list)) else (item,)
    return {
        value
        for value in items
        if isinstance(value, Value) and value.kind in ("array", "list")
    }
