"""What walks back compute goes into the loops that they go back through.

A walk back goes through the iterations of a loop the other way round, and a walk back
through that (a tangent) in the first order again. What it computes there of what is
known when the iteration of the run ends, is put at that end: so ``h`` and its tangent
come out of one loop, when the iterations are rolled. (``fusing`` is of loops.)

>>> import numpy as np
>>> from srcgrad.graph import Graph
>>> f8 = np.dtype(float)
>>> values = [Value((), f8, name) for name in ("x", "dx", "h", "dh", "k", "dk")]
>>> x, dx, h, dh, k, dk = values
>>> pairs = (x, h), (h, k), (dx, dh), (dh, dk)
>>> nodes = [Node(np.negative, (a,), out=b, in_backward=True) for a, b in pairs]
>>> run, walk = Region([0, 1], 2), Region([2, 3], 4, rewinds=[0, 1])
>>> steps, _ = interleaved(nodes, [run, walk])
>>> print(Graph((x, dx), tuple(steps), (k, dk)))
h = negative(x)
dh = negative(dx)
k = negative(h)
dk = negative(dh)
return k, dk
"""

import bisect
import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from srcgrad.graph import Program
from srcgrad.steps import Guard, Node, Step, Value
from srcgrad.transforms.algebra.raising import may_raise, may_signal
from srcgrad.transforms.loops.regions import Region
from srcgrad.updates import again

# A loop, and the number of one of its iterations.
Turn = tuple[Region, int]
# A place between steps: before which step, how deep in loops, which step goes there.
Position = tuple[float, int, int]


def interleaved(
    steps: Sequence[Step], regions: Sequence[Region]
) -> tuple[list[Step], list[Region]]:
    """Steps in another order, and the loops among them.

    Where there are guards in the way, a step that may meet a floating-point error stays
    behind them.
    """
    places = _Interleaving(steps, regions).places()
    order = sorted(range(len(steps)), key=places.__getitem__)
    in_order = [places[number] for number in order]

    def moved(region: Region, depth: int) -> Region:
        def to(bound: int) -> int:
            # Behind what is put at the end of an iteration before.
            return bisect.bisect_right(in_order, (bound - 0.5, -depth, len(steps)))

        first = bisect.bisect_left(in_order, (region.starts[0] - 0.25, 0, 0))
        inner = [moved(each, depth + 1) for each in region.inner]
        starts = [first, *map(to, region.starts[1:])]
        return Region(starts, to(region.end), inner, region.name)

    return [steps[number] for number in order], [moved(each, 1) for each in regions]


def with_views_at_hand(
    graph: Program, regions: Sequence[Region]
) -> tuple[Program, list[Region]]:
    """Make views again in each iteration that wants them.

    That costs less than to keep one of each iteration.
    """
    views: dict[Value, tuple[Node, Any]] = {}
    given = set(graph.given)
    made_again: dict[tuple[Value, Any], Value] = {}
    steps: list[Step] = []
    places: list[int] = []

    def here(value: Value, key: Any, for_walk: bool) -> Value:
        """The view as it is made in the iteration that asks for it."""
        if value not in views or views[value][1] == key:
            return value
        if (value, key) not in made_again:
            view = views[value][0]
            inputs = {each: here(each, key, for_walk) for each in view.inputs}
            made = made_again[value, key] = value.twin()
            view = view.with_values(inputs)
            steps.append(replace(view, out=made, in_backward=for_walk))
        return made_again[value, key]

    for number, step in enumerate(graph.nodes):
        places.append(len(steps))
        turns = turns_at(regions, number)
        if turns:
            key = [(id(region), number) for region, number in turns]
            for_walk = type(step) is Node and step.in_backward
            wanted = {v: here(v, tuple(key), for_walk) for v in step.inputs}
            step = step.with_values(wanted)
        if type(step) is Node and step.shares_memory and len(step.results) == 1:
            is_of_given = all(v in given or v in views for v in step.inputs)
            if step.in_backward or is_of_given:
                views[step.results[0]] = step, turns and tuple(key)
        steps.append(step)
    places.append(len(steps))
    regions = [region.moved(places.__getitem__) for region in regions]
    return graph.with_nodes(steps, {}), regions


def without(are_gone: Sequence[bool], regions: Sequence[Region]) -> list[Region]:
    """Loops, where some of the steps are gone."""
    left = [0, *itertools.accumulate(not is_gone for is_gone in are_gone)]
    return [region.moved(left.__getitem__) for region in regions]


class _Interleaving:
    """Which step goes where."""

    def __init__(self, steps: Sequence[Step], regions: Sequence[Region]) -> None:
        self._steps = steps
        self._regions = regions
        guards = [n for n, step in enumerate(steps) if type(step) is Guard]
        self._last_guard = guards[-1] if guards else -1
        self._made: dict[Value, Position] = {}

    def places(self) -> list[Position]:
        """For each step a place, in the order of which they are to run."""
        places: list[Position] = []
        for number, step in enumerate(self._steps):
            place = self._place_of(number, step)
            places.append(place)
            self._made.update(dict.fromkeys(step.results, place))
        self._put_back(places)
        return places

    def _place_of(self, number: int, step: Step) -> Position:
        if type(step) is not Node or not step.in_backward:
            return (number, 0, 0)
        if step.has_effect or may_raise(step) or step.function is again:
            return (number, 0, 0)
        made = [self._made[value] for value in step.inputs if value in self._made]
        latest = max(made, default=(-1, 0, 0))
        for end, depth in _other_ends(self._regions, number):
            place = (end - 0.5, -depth, number)
            is_late = end <= self._last_guard and may_signal(step)
            if latest < place and not is_late:
                return place
        return (number, 0, 0)

    def _put_back(self, places: list[Position]) -> None:
        """Leave where it was what nobody wants before."""
        wanted: dict[Value, Position] = {}
        for number in reversed(range(len(places))):
            step = self._steps[number]
            if places[number] < (number, 0, 0):
                first = min(
                    (wanted[value] for value in step.results if value in wanted),
                    default=(float("inf"), 0, 0),
                )
                turns = turns_at(self._regions, number)
                end = (_end_of(turns[-1]) - 0.5, -len(turns), len(places))
                if (number, 0, 0) < first < end:
                    places[number] = (number, 0, 0)
            place = places[number]
            for value in step.inputs:
                wanted[value] = min(place, wanted.get(value, place))


def _other_ends(regions: Sequence[Region], place: int) -> list[tuple[int, int]]:
    """The ends of iterations that a step may be in instead, the first one first.

    With how deep in loops these are.
    """
    found: list[tuple[int, int]] = []
    turns = turns_at(regions, place)
    while turns and (rewinds := turns[-1][0].rewinds):
        depth, number = len(turns), turns[-1][1]
        start = turns[-1][0].starts[number]
        turns = turns_at(regions, rewinds[number])[:depth]
        # Of an iteration of which nothing is left, another one may be there.
        if len(turns) < depth or _end_of(turns[-1]) > start:
            break
        found.append((_end_of(turns[-1]), depth))
    return found[::-1]


def turns_at(regions: Sequence[Region], place: int) -> list[Turn]:
    """The loops that ran at a place, the outermost first, with their iterations."""
    turns: list[Turn] = []
    region = _before(regions, place)
    while region is not None and place < region.end:
        turns.append((region, bisect.bisect_right(region.starts, place) - 1))
        region = _before(region.inner, place)
    return turns


def _before(regions: Sequence[Region], place: int) -> Region | None:
    """The last loop that had begun by a step."""
    number = bisect.bisect_right(regions, place, key=lambda region: region.starts[0])
    return regions[number - 1] if number else None


def _end_of(turn: Turn) -> int:
    region, number = turn
    bounds = [*region.starts[number + 1 : number + 2], region.end]
    return bounds[0]
