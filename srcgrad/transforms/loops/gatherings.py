"""``Gatherings``: arrays of all that a loop has kept, which it then keeps in a list.

>>> import numpy as np
>>> from srcgrad.transforms.loops.iterations import Iteration
>>> h = [Value((), np.dtype(float), "h") for _ in range(4)]
>>> steps = [Node(np.sin, (h[i],), out=h[i + 1]) for i in range(3)]
>>> all_of = Node(stacked_list, (tuple(h[1:]), 0), out=Value((3,), np.dtype(float)))
>>> gatherings = Gatherings([*steps, all_of], {})
>>> slots = Slots([Iteration([step]) for step in steps])
>>> gatherings.of(slots, 3)
[Run(place=3, first=0, number=0, lag=0)]
>>> rows = Value((), np.dtype(float), "rows", "list")
>>> gatherings.with_list(3, 0, 3, rows).args == ((rows,), 0, 0)
True
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from srcgrad.stacking import stacked_list
from srcgrad.steps import Node, Step, Value
from srcgrad.transforms.loops.slots import Slots


class Run(NamedTuple):
    """Items in the array made at a place, from ``first`` on: one of each iteration.

    They are result ``number`` of it, or with ``lag`` 1 of the one before it.
    """

    place: int
    first: int
    number: int
    lag: int


class Gatherings:
    """Those among some steps; ``last_use`` tells where Values are read last at all."""

    def __init__(self, steps: Sequence[Step], last_use: Mapping[Value, int]) -> None:
        self._nodes: dict[int, Node] = {}
        self._reads: dict[Value, set[int]] = {}
        for place, step in enumerate(steps):
            if type(step) is Node and step.function is stacked_list:
                self._nodes[place] = step
        if not self._nodes:
            return
        own = {value for node in self._nodes.values() for value in node.inputs}
        for place, step in enumerate(steps):
            for value in own.intersection(step.inputs):
                self._reads.setdefault(value, set()).add(place)
        for value in own:
            if value in last_use:
                self._reads[value].add(last_use[value])

    def last_use(self, value: Value, but: Collection[int]) -> int:
        """Where a Value that some array is made of is read last, but at some places."""
        return max(self._reads[value].difference(but), default=-1)

    def is_any(self, value: Value) -> bool:
        """Whether an array is made of a Value, and of others."""
        return value in self._reads

    def of(self, slots: Slots, end: int) -> list[Run]:
        """Where items of all iterations come together, behind the loop."""
        return [
            run
            for place, node in self._nodes.items()
            if place >= end and len(node.args) == 2
            for run in _runs(place, node.args[0], slots)
        ]

    def places_of(self, items: Sequence[Value], end: int) -> dict[int, int]:
        """Where all of some items come together behind a loop, and from which on."""
        found: dict[int, int] = {}
        if not items or items[0] not in self._reads:
            return found
        for place, node in self._nodes.items():
            own = [*node.args[0]] if place >= end and len(node.args) == 2 else []
            first = next((k for k, item in enumerate(own) if item is items[0]), None)
            if first is None or len(own) < first + len(items):
                continue
            pairs = zip(own[first:], items, strict=False)
            if all(one is other for one, other in pairs):
                found[place] = first
        return found

    def with_list(self, place: int, first: int, count: int, items: Value) -> Node:
        """The node at a place, with a list for so many items of its own."""
        node = self._nodes[place]
        given, loop = node.args
        parts = (*given[:first], items, *given[first + count :])
        self._nodes[place] = replace(node, args=(parts, loop, first))
        return self._nodes[place]


def _runs(place: int, items: Sequence[Any], slots: Slots) -> Iterator[Run]:
    """The one run of a loop's items, if all of its items are in it."""
    known = {item: at for at, item in enumerate(items) if type(item) is Value}
    each = [iteration.numbers() for iteration in slots.iterations]
    for number, value in enumerate(each[0]):
        at = known.get(value)
        own = [numbers[number] for numbers in each]
        if at is None:
            continue
        if [*items[at : at + len(own)]] == own:
            yield Run(place, at, number, 0)
            return
        firsts = [s.first for s in slots.states.values() if _is_of(s, number)]
        before = items[at - 1] if at else None
        if [*items[at : at + len(own) - 1]] == own[:-1] and any(
            first is before for first in firsts
        ):
            yield Run(place, at - 1, number, 1)
            return


def _is_of(state: Any, number: int) -> bool:
    return bool((state.number, state.lag) == (number, 1))
