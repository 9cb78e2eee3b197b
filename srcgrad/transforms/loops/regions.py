"""``Region``: where a loop ran in the steps of a run, and the loops inside it.

>>> Region([0, 3, 6], 9).shifted(1).starts
[-1, 2, 5]
"""

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from srcgrad.steps import Value
from srcgrad.transforms.loops.endings import LoopHeads


@dataclass(slots=True)
class Region:
    """Where a loop ran: at which step each iteration began, and where all ended.

    ``inner`` are the loops inside, in order; ``name`` is the user's for the index.
    ``loop_heads``: what Python saw, if the loop may have ended by a test. ``rewinds``:
    of a walk back, for each iteration where the one began that it goes back through.
    ``left_out``: before some iterations, by number, so many others are not among the
    steps, which do what the ones around them do. ``peeled``: so many first iterations,
    at least, stay before a loop of any count.
    """

    starts: list[int]
    end: int = 0
    inner: "list[Region]" = field(default_factory=list)
    name: str | None = None
    loop_heads: LoopHeads | None = None
    rewinds: list[int] = field(default_factory=list)
    left_out: dict[int, int] = field(default_factory=dict)
    peeled: int = 0

    def places(self, first: int, count: int) -> list[int]:
        """Which ones some iterations are, counted from the first of them."""
        gone = itertools.accumulate(
            self.left_out.get(first + number, 0) for number in range(count)
        )
        return [number + more for number, more in enumerate(gone)]

    def shifted(self, by: int) -> "Region":
        """The same, where so many steps fewer come before."""
        return self.moved(lambda place: place - by)

    def moved(self, to: Callable[[int], int]) -> "Region":
        """The same, with the steps at other places."""
        inner = [region.moved(to) for region in self.inner]
        starts, rewinds = [*map(to, self.starts)], [*map(to, self.rewinds)]
        return replace(
            self, starts=starts, end=to(self.end), inner=inner, rewinds=rewinds
        )

    def without_last(self) -> "list[Region]":
        """The loop up to its last iteration, and the loops in that."""
        if len(self.starts) < 2:
            return self.inner
        end = self.starts[-2]
        before = [region for region in self.inner if region.end <= end]
        less = Region(self.starts[:-1], end, before, self.name)
        less.left_out = self.left_out
        return [less, *self.inner[len(before) :]]

    def closed(self) -> "Region":
        """The same with nothing known of how it ended."""
        inner = [region.closed() for region in self.inner]
        return replace(self, inner=inner, loop_heads=None)

    def renamed(self, values: Mapping[Value, Value]) -> "Region":
        """The same, where other Values stand for some that Python saw."""
        if not values:
            return self
        inner = [region.renamed(values) for region in self.inner]
        turns = self.loop_heads and self.loop_heads.renamed(values)
        return replace(self, inner=inner, loop_heads=turns)

    def with_peeled(self, count: int) -> "Region":
        """The same with so many iterations before loops of any count, at least."""
        inner = [region.with_peeled(count) for region in self.inner]
        return replace(self, inner=inner, peeled=count)
