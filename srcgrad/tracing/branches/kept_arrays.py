"""``KeptArrays``: arrays that one arm of an ``if`` makes, and the other one keeps.

``if norm > limit: g = g * (limit / norm)``: afterwards ``g`` is another array, or the
one that it was. Nobody can tell, unless one of the two is written into and the other
one looked at later on, or both are given back.

>>> import numpy as np
>>> f8 = np.dtype(float)
>>> g, joined, written, seen = (Value((3,), f8, name) for name in "gjws")
>>> kept = KeptArrays()
>>> kept.note(0, joined, g)
>>> kept.writes.append((joined, written))
>>> steps = [Node(np.sin, (g,), out=joined), Node(np.add, (joined, 1.0), out=written)]
>>> kept.are_told(steps, (), [written], [])
False
>>> kept.are_told([*steps, Node(np.exp, (g,), out=seen)], (), [seen], [])
True
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from srcgrad.steps import Node, Step, Value
from srcgrad.tracing.graphs.layouts import Memory, Write
from srcgrad.transforms.branches.branching import Speculation
from srcgrad.transforms.loops.regions import Region
from srcgrad.updates import moved


class Kept(NamedTuple):
    """From which step on an array may be the very one that was there before."""

    since: int
    joined: Value
    before: Value


class ToldApart(Exception):  # noqa: N818 (no fault)
    """It can be told that an array is kept by an arm: it must not be, in a new run."""


class KeptArrays:
    """Those of a run; ``writes`` are those in arms that were tried, and of the run."""

    def __init__(self) -> None:
        self._found: list[Kept] = []
        self.writes: list[Write] = []

    def __bool__(self) -> bool:
        return bool(self._found)

    def note(self, since: int, joined: Value, before: Value) -> None:
        """Note that an array may be one that was there before."""
        self._found.append(Kept(since, joined, before))

    def may_be_written(
        self,
        steps: Sequence[Step],
        loops: Iterable[Region],
        renames: Mapping[Value, Any],
    ) -> bool:
        """Whether a loop that is known carries one that something writes into.

        Of what it carries, any may be what it was before, or will be.
        """
        same = [each for loop in loops for each in _same(loop)]
        if not same or not self.writes:
            return False
        memory = Memory(steps, self.writes)
        for one, others in same:
            memory.join(one, others)
        for _, joined, before in self._found:
            memory.join(joined, (renames.get(before, before),))
        kept = {memory.of(joined) for _, joined, _ in self._found}
        return not kept.isdisjoint(memory.of(value) for value, _ in self.writes)

    def are_told(
        self,
        steps: Sequence[Step],
        speculations: Sequence[Speculation],
        results: Iterable[Value],
        inputs: Iterable[Value],
    ) -> bool:
        """Whether it can be told from what a run does that some are one array."""
        every = [*_in_order(steps, speculations)]
        arrays = _Arrays(self._found, [step for _, step in every], self.writes)
        for place, step in every:
            if type(step) is Node and not step.in_backward:
                if any(map(arrays.is_stale, step.inputs)):
                    return True
                arrays.written_by(place, step)
        given = {array for value in results if (array := arrays.of(value)) is not None}
        groups = {arrays.group(array) for array in given}
        theirs = {array for array in map(arrays.of, inputs) if array}
        outer = {arrays.group(array) for array in theirs}
        is_twice = len(groups) < len(given) or not groups.isdisjoint(outer)
        return is_twice or not arrays.stale.isdisjoint(given | theirs)


class _Arrays:
    """Which arrays may be one, and which of them is no longer what it would be."""

    def __init__(
        self, found: Sequence[Kept], steps: Sequence[Step], writes: Sequence[Write]
    ) -> None:
        self._objects, self._groups = Memory(steps, writes), Memory((), ())
        for step in steps:
            if type(step) is Node and step.function is moved:
                self._objects.join(step.results[0], step.inputs)
        self._after = {after for _, after in writes}
        self.stale: set[Value] = set()
        # By the group, its arrays with the step from which on each is there.
        self._since: dict[Value, dict[Value, int]] = {}
        of = self._objects.of
        pairs = [(each.since, of(each.joined), of(each.before)) for each in found]
        for _, joined, before in pairs:
            self._groups.join(before, (joined,))
        for since, joined, before in pairs:
            arrays = self._since.setdefault(self._groups.of(joined), {})
            arrays.setdefault(joined, since)
            arrays.setdefault(before, 0)

    def of(self, value: Value) -> Value | None:
        """What stands for an array, by any of its contents; None if it is but one."""
        array = self._objects.of(value)
        return array if self._groups.of(array) in self._since else None

    def group(self, array: Value) -> Value:
        """What stands for those that may be one with an array."""
        return self._groups.of(array)

    def is_stale(self, value: Value) -> bool:
        """Whether something else would be there, if two arrays were one."""
        return bool(self.stale) and self._objects.of(value) in self.stale

    def written_by(self, place: int, step: Node) -> None:
        """Note what a step has written into."""
        for value in self._after.intersection(step.results):
            array = self.of(value)
            if array is None:
                continue
            others = self._since[self._groups.of(array)].items()
            self.stale.update(a for a, n in others if a is not array and n <= place)


def require_iterations(
    loops: Iterable[Region], steps: Sequence[Step], writes: Sequence[Write]
) -> None:
    """Have loops run once at least, if what they give may be written into later.

    Without iterations that would be the very array that was there before, which any
    array like it may be.
    """
    places = {value: n for n, step in enumerate(steps) for value in step.results}
    for loop in loops:
        known = loop.known
        if known is not None and known.may_be_none:
            later = [one for one, other in writes if places.get(other, -1) >= loop.end]
            like = {(value.shape, value.dtype) for value in later}
            metas = {(each.result.shape, each.result.dtype) for each in known.carried}
            if not like.isdisjoint(metas):
                loop.known = replace(known, may_be_none=False)
        elif known is None:
            require_iterations(loop.inner, steps, writes)


def _same(loop: Region) -> Iterator[tuple[Value, Sequence[Value]]]:
    """What may be one array, of what loops carry and collect, if they are known."""
    if loop.known is not None:
        yield from ((each.parameter, each[1:]) for each in loop.known.carried)
        yield from loop.known.collected
    for inner in loop.inner:
        yield from _same(inner)


def _in_order(
    steps: Sequence[Step], speculations: Sequence[Speculation], start: int = 0
) -> Iterator[tuple[int, Step]]:
    """The steps of a run, with those of arms that were tried, and their places."""
    waiting = sorted(
        speculations, key=lambda speculation: speculation.guard, reverse=True
    )
    for number, step in enumerate(steps):
        yield start + number, step
        while waiting and waiting[-1].guard <= number:
            speculation = waiting.pop()
            for _, tried in _in_order(speculation.other, speculation.speculations):
                yield start + number, tried
