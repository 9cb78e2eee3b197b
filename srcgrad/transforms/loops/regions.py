"""``Region``: where a loop ran in the steps of a run, and the loops inside it.

>>> Region([0, 3, 6], 9).shifted(1).starts
[-1, 2, 5]
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from srcgrad.loops import ExitCondition
from srcgrad.steps import Value
from srcgrad.transforms.loops.endings import LoopHeads


class Carried(NamedTuple):
    """What a loop carries: the ``parameter`` of its body, and what it is at ``first``.

    ``output`` is what an iteration makes of it, ``result`` what it is in the end.
    """

    parameter: Value
    first: Value
    output: Value
    result: Value


class Collected(NamedTuple):
    """What an iteration gives for a list, ``output``; and what each has given."""

    output: Value
    results: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Known:
    """A loop of which one iteration was recorded, as a function of what it carries.

    ``iteration`` says which of the region's; those before it are another way. The
    ``indices`` have where they start, and their steps. With an ``exit_condition`` the
    loop ends where guard number ``test`` of the body fails, of so many ``guards``; -1:
    of any number. ``is_alike``: it is the same to come to the end of what it goes
    along. ``before`` has the indices of the iteration before that, and what they are;
    ``after`` those of the iteration in which it ends. ``entry`` has what was there
    before the first iteration for all that it carries, if that is known; None, where
    nothing was. ``may_be_none``: that there are no iterations is the same to Python,
    but for what is carried; names that are read later hold the same.
    """

    iteration: int
    carried: tuple[Carried, ...]
    indices: Mapping[Value, tuple[int, int]]
    count: int
    exit_condition: ExitCondition | None = None
    test: int = -1
    guards: int = -1
    is_alike: bool = False
    collected: tuple[Collected, ...] = ()
    before: Mapping[Value, int] = field(default_factory=dict)
    after: Mapping[Value, int] = field(default_factory=dict)
    entry: tuple[Value | None, ...] = ()
    may_be_none: bool = False

    @property
    def values(self) -> list[Value]:
        """What no step defines: what the body takes, and what comes of the loop."""
        own = [
            value for each in self.carried for value in (each.parameter, each.result)
        ]
        items = [value for each in self.collected for value in each.results]
        return [*own, *items, *self.indices, *self.before, *self.after]

    def renamed(self, values: Mapping[Value, Value]) -> "Known":
        """The same with other Values in the place of some."""
        carried = (Carried(*(values.get(v, v) for v in each)) for each in self.carried)
        collected = (
            Collected(
                values.get(each.output, each.output),
                tuple([values.get(value, value) for value in each.results]),
            )
            for each in self.collected
        )
        entry = [None if v is None else values.get(v, v) for v in self.entry]
        return replace(
            self,
            carried=tuple(carried),
            collected=tuple(collected),
            entry=tuple(entry),
        )


@dataclass(slots=True)
class Region:
    """Where a loop ran: at which step each iteration began, and where all ended.

    ``inner`` are the loops inside, in order; ``name`` is the user's for the index.
    ``loop_heads``: what Python saw, if the loop may have ended by a test. ``rewinds``:
    of a walk back, for each iteration where the one began that it goes back through.
    ``peeled``: so many first iterations,
    at least, stay before a loop of any count. ``known``: the loop itself, where it was
    recorded as one.
    """

    starts: list[int]
    end: int = 0
    inner: "list[Region]" = field(default_factory=list)
    name: str | None = None
    loop_heads: LoopHeads | None = None
    rewinds: list[int] = field(default_factory=list)
    peeled: int = 0
    known: Known | None = None

    @property
    def has_known(self) -> bool:
        """Whether a loop inside was recorded as one."""
        return any(each.known is not None or each.has_known for each in self.inner)

    def known_loops(self) -> "list[Known]":
        """Those that were recorded as loops: it itself, and those inside."""
        own = [] if self.known is None else [self.known]
        return own + [known for each in self.inner for known in each.known_loops()]

    def inner_of(self, start: int, end: int) -> "list[Region]":
        """The loops inside that ran between two places."""
        return [e for e in self.inner if start <= e.starts[0] and e.end <= end]

    def shifted(self, by: int) -> "Region":
        """The same, where so many steps fewer come before."""
        return self.moved(lambda place: place - by)

    def moved(self, to: Callable[[int], int]) -> "Region":
        """The same, with the steps at other places."""
        inner = [region.moved(to) for region in self.inner]
        starts, rewinds = [*map(to, self.starts)], [*map(to, self.rewinds)]
        heads, peeled, known = self.loop_heads, self.peeled, self.known
        end = to(self.end)
        return Region(starts, end, inner, self.name, heads, rewinds, peeled, known)

    def without_last(self) -> "list[Region]":
        """The loop up to its last iteration, and the loops in that."""
        if len(self.starts) < 2:
            return self.inner
        end = self.starts[-2]
        before = [region for region in self.inner if region.end <= end]
        less = Region(self.starts[:-1], end, before, self.name)
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
        heads = self.loop_heads and self.loop_heads.renamed(values)
        known = self.known and self.known.renamed(values)
        return replace(self, inner=inner, loop_heads=heads, known=known)

    def with_peeled(self, count: int) -> "Region":
        """The same with so many iterations before loops of any count, at least."""
        inner = [region.with_peeled(count) for region in self.inner]
        return replace(self, inner=inner, peeled=count)
