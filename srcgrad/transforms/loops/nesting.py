"""Loops inside a loop, of any counts: a Loop each, the same in all iterations.

    for i in range(n):
        for j in range(i, m):
            s = s + x[i] * y[j]

How often the inner loop runs is another number in each iteration of the outer one, so
their steps do not agree. With a Loop in the place of the inner one they do. What it is
that repeats is told by the time that it ran longest (``inner_loops``). Where all counts
are known, only those that differ are such (``known_counts``).
"""

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from srcgrad.graph import Graph
from srcgrad.steps import Step, Value
from srcgrad.transforms.loops.inner_loops import looped
from srcgrad.transforms.loops.known_counts import Instance
from srcgrad.transforms.loops.regions import Region

Roll = Callable[[Graph, Sequence[Region]], Graph]


class Nested(NamedTuple):
    """The steps of a region with Loops for some loops inside.

    ``is_proven``: each of these has been seen to repeat, and not only the longest one.
    """

    steps: list[Step]
    region: Region
    is_proven: bool


def nested(
    steps: Sequence[Step],
    region: Region,
    last_use: Mapping[Value, int],
    raws: MutableMapping[Value, Any],
    roll: Roll,
) -> Nested | None:
    """A region with Loops inside; None if there is none to be had.

    ``last_use`` says up to which step what a step gives is wanted, ``roll`` rolls the
    loops in the body of a Loop.
    """
    nest = _Nest(steps, last_use, raws, roll)
    for column in columns([region]):
        nest.fill(column, region.loop_heads is None)
    if not nest.content:
        return None
    return Nested(*nest.assembled(region), nest.is_proven)


def columns(regions: Sequence[Region]) -> list[list[Region]]:
    """The loops inside some: all first ones in their iterations, all second ones.

    Of known counts are those of most iterations; the others are another way.
    """
    rows = [row for region in regions for row in _rows(region)]
    if all(region.loop_heads is None for region in regions):
        lengths = Counter(len(row) for row in rows if row)
        most = max(lengths, key=lengths.__getitem__, default=0)
        rows = [row for row in rows if len(row) == most]
    if not rows or len({len(row) for row in rows}) > 1:
        return []
    return [list(column) for column in zip(*rows, strict=True)]


def _rows(region: Region) -> Iterator[list[Region]]:
    """The loops in each iteration; the last one of a test has none.

    If the count is known, those that have run.
    """
    is_known = region.loop_heads is None
    bounds = [*region.starts, region.end] if is_known else region.starts
    for start, end in itertools.pairwise(bounds):
        inner = [e for e in region.inner if start <= e.starts[0] < end]
        yield [e for e in inner if e.starts[0] < e.end or not is_known]


class _Nest:
    """The steps of a run, and what stands for some of its loops."""

    def __init__(
        self,
        steps: Sequence[Step],
        last_use: Mapping[Value, int],
        raws: MutableMapping[Value, Any],
        roll: Roll,
    ) -> None:
        self.steps, self.last_use, self.raws, self.roll = steps, last_use, raws, roll
        self.content: dict[int, list[Step]] = {}
        self.is_proven = True

    def fill(self, column: Sequence[Region], is_known: bool) -> None:
        """Put Loops in the place of some loops, and first of the ones inside these.

        ``is_known``: so are the counts of those around them.
        """
        is_known = is_known and all(region.loop_heads is None for region in column)
        for inner in columns(column):
            self.fill(inner, is_known)
        if not is_known and any(region.loop_heads is None for region in column):
            return
        if is_known and len({len(region.starts) for region in column}) == 1:
            return  # their steps agree, if they do
        found = looped([*map(self._instance, column)], self.raws, self.roll)
        if found is not None:
            pairs = zip(column, found.contents, strict=True)
            self.content.update((id(region), own) for region, own in pairs if own)
            self.is_proven = self.is_proven and found.is_proven

    def _instance(self, region: Region) -> Instance:
        steps, own = self.assembled(region)
        made = {value for step in steps for value in step.results}
        later = {v for v in made if self.last_use.get(v, -1) >= region.end}
        return Instance(steps, own, later)

    def assembled(self, region: Region) -> tuple[list[Step], Region]:
        """The steps of a region as they are now, and where in these it is."""
        steps: list[Step] = []
        inner: list[Region] = []
        starts: list[int] = []
        place = region.starts[0]
        children = [each for each in region.inner if each.starts[0] < each.end]
        marks = sorted(
            [*((start, 0, None) for start in region.starts)]
            + [(each.starts[0], 1, each) for each in children],
            key=lambda mark: mark[:2],
        )
        for start, _, child in marks:
            steps += self.steps[place:start]
            place = start
            if child is None:
                starts.append(len(steps))
                continue
            own = self.content.get(id(child))
            if own is None:
                own, moved = self.assembled(child)
                inner.append(moved.shifted(-len(steps)))
            steps += own
            place = child.end
        steps += self.steps[place : region.end]
        return steps, replace(region, starts=starts, end=len(steps), inner=inner)
