"""Loops that go on until a test fails: which of their iterations may be rolled.

The run has seen one count only. That any other count does the same takes a proof, which
is this: at the beginning of each iteration all that Python could see was as it was
at the beginning of the one before, but for arrays and numbers of the graph, and these
had the same place in it. So Python can only do the same again, until the test fails;
and what comes then cannot depend on when that was.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from srcgrad.loops import ExitCondition
from srcgrad.steps import Guard, Step, Value
from srcgrad.transforms.loops.iterations import Iteration, agree, meta_of
from srcgrad.transforms.loops.slots import Slots

# As many iterations must agree; so many first ones may be another way.
FEWEST, MOST_PEELED = 3, 2

# What a name stood for: a Value, or what is known of anything else, as nested tuples.
Seen = Any


class Object(NamedTuple):
    """An array that Python may write into: which, and how many iterations ago made.

    ``age`` is None for one that was there before the loop.
    """

    key: int
    age: int | None


@dataclass(slots=True)
class LoopHeads:
    """What Python could see at the beginning of each iteration of a loop.

    ``heads`` has the names that the loop binds, with what they stood for, and arrays
    that it writes into. ``live`` are
    those that may be read when it has ended. ``most``: no more iterations can begin.
    ``limit`` says what then is, if that is something that Python counts: it ends the
    loop ``"first"`` in its test, before all else, or ``"last"``; ``""``: it cannot be
    told. ``counts_down``: a whole number has been counted down to zero, which has ended
    it. ``are_numbered``: an integer that is another one in each iteration goes up with
    its number, and depends on nothing else; ``are_seen``: Python has looked at it.
    ``ends_alike``: the test comes last, and nothing else when it has failed; so after
    ``most`` iterations all is as if it had.
    """

    live: frozenset[str]
    most: int | None
    heads: list[dict[Any, Seen]] = field(default_factory=list)
    limit: str | None = None
    counts_down: bool = False
    are_numbered: bool = False
    are_seen: bool = False
    ends_alike: bool = False

    def renamed(self, values: Mapping[Value, Value]) -> "LoopHeads":
        """The same, where other Values stand for some that Python saw."""

        def renamed(seen: Seen) -> Seen:
            if type(seen) is tuple:
                return tuple(map(renamed, seen))
            return values.get(seen, seen) if type(seen) is Value else seen

        heads = [{n: renamed(seen) for n, seen in head.items()} for head in self.heads]
        return replace(self, heads=heads)

    def limited(self, most: int, limit: str) -> "LoopHeads":
        """The same with another limit, if that is the closer one."""
        if self.most is not None and (self.most, self.limit) == (most, limit):
            return self
        if self.most is not None and most >= self.most:
            return self if most > self.most else replace(self, limit="")
        return replace(self, most=most, limit=limit)

    def are_within_limits(self) -> bool:
        """Whether all iterations but the last one have begun in the same way."""
        if self.limit is None or self.most is None:
            return True
        begun = len(self.heads) - 1
        return begun < self.most or self.has_reached_limit

    @property
    def has_reached_limit(self) -> bool:
        """Whether the limit has ended it, all that comes before in the test holding."""
        return self.limit == "last" and len(self.heads) - 1 == self.most


class Open(NamedTuple):
    """Iterations that may be rolled: where they are, and what Python saw then.

    ``heads`` has what it saw before each test, ``gone`` the guards that the loop stands
    for, by their places.
    """

    iterations: Sequence[Iteration]
    places: Sequence[tuple[int, int]]
    heads: Sequence[Mapping[Any, Seen]]
    exit_condition: ExitCondition
    gone: int


def open_iterations(
    turns: LoopHeads,
    starts: Sequence[int],
    end: int,
    steps: Sequence[Step],
    peeled: int = 0,
) -> Iterator[Open]:
    """The ways in which a loop that has ended by a test may be rolled, best first.

    ``peeled``: so many first iterations stay, at least.
    """
    came_to_its_end = turns.ends_alike and len(turns.heads) == len(starts) - 1
    if came_to_its_end:
        starts = starts[:-1]
    last = len(starts) - 1
    if turns.are_seen or last < FEWEST - 1 or len(turns.heads) != len(starts):
        return
    model, rest = steps[starts[-2] : starts[-1]], steps[starts[-1] : end]
    is_whole = came_to_its_end or turns.has_reached_limit
    at = _ended(model, rest) if is_whole else _failed(model, rest)
    if at is None or (came_to_its_end and at + 1 != len(model)):
        return
    tests = [start + at + 1 for start in starts]
    for first in range(peeled, min(MOST_PEELED + 1, last)):
        if at + 1 < len(model):
            exit_condition = _ending(turns, first, stops=bool(turns.limit))
            bounds = starts[first:]
            yield from _opened(
                turns, steps, bounds, at, first, exit_condition, tests[-1] - 1
            )
            # The same from test to test, with the first one before the loop.
            stops = turns.limit == "last"  # with one iteration more, for its test
            exit_condition = _ending(turns, first + (not stops), stops)
            exit_condition = replace(exit_condition, is_last=True)
            bounds = [tests[first + 1] - len(model), *tests[first + 1 :]]
            if bounds[0] >= starts[first]:
                gone = bounds[-1] - 1
                yield from _opened(
                    turns, steps, bounds, None, first + 1, exit_condition, gone
                )
        else:
            exit_condition = _ending(turns, first, stops=turns.ends_alike)
            exit_condition = replace(exit_condition, is_last=True)
            bounds = [starts[first], *tests[first:]]
            gone = bounds[-1] - 1
            yield from _opened(turns, steps, bounds, None, first, exit_condition, gone)


def _ending(turns: LoopHeads, first: int, stops: bool) -> ExitCondition:
    """The ending of what comes after the first tests; ``stops``: at the limit, too."""
    if turns.most is None:
        return ExitCondition(counts=turns.counts_down)
    return ExitCondition(most=turns.most - first, stops=stops)


def _ended(model: Sequence[Step], last: Sequence[Step]) -> int | None:
    """The place of the guard that comes last, where that has not ended the loop."""
    at = len(last) - 1
    if at < 0 or type(last[at]) is not Guard or at >= len(model):
        return None
    return at if type(model[at]) is Guard else None


def _failed(model: Sequence[Step], last: Sequence[Step]) -> int | None:
    """The place of the guard that was another way in the last iteration."""
    for place, (step, other) in enumerate(zip(model, last, strict=False)):
        if (type(step) is Guard) != (type(other) is Guard):
            return None
        if type(step) is Guard and type(other) is Guard:
            if step.convert is not other.convert:
                return None
            if step.convert is bool and step.observed is not other.observed:
                return place
    return None


def _opened(
    turns: LoopHeads,
    steps: Sequence[Step],
    bounds: Sequence[int],
    at: int | None,
    first: int,
    exit_condition: ExitCondition,
    gone: int,
) -> Iterator[Open]:
    """Iterations between some bounds, if they do the same.

    Their test is at a place, or the last step.
    """
    places = [*itertools.pairwise(bounds)]
    if len(places) < FEWEST:
        return
    size = places[-1][1] - places[-1][0]
    if any(end - start != size for start, end in places):
        return
    model = steps[places[-2][0] : places[-2][1]]
    place = size - 1 if at is None else at
    iterations = []
    for start, end in places:
        own = [*steps[start:end]]
        test = own[place]
        if type(test) is not Guard:
            return
        expected: Any = model[place]
        own[place] = replace(test, observed=expected.observed, ends=True)
        iterations.append(Iteration(own))
    if all(agree(iterations[1], each) for each in iterations):
        yield Open(iterations, places, turns.heads[first:], exit_condition, gone)


def numbered(slots: Slots, steps: Sequence[Step]) -> set[Any]:
    """What the first steps of an iteration that is not whole make of its number.

    They stay behind the loop, where that is the number of the run: at another count it
    is wrong. None is among them if a test looks at it.
    """
    indices, found = set(slots.indices.values()), set[Any]()
    for step, filled in zip(steps, slots.filled, strict=False):
        is_one = any(type(leaf) is Value and leaf in indices for leaf in filled)
        if is_one or not found.isdisjoint(step.inputs):
            found.update((None,) if type(step) is Guard else step.results)
    return found


# ----- The proof -----
def is_steady(opened: Open, slots: Slots, turns: LoopHeads) -> bool:
    """Whether Python saw the same before each test."""
    live, is_numbered = turns.live, turns.are_numbered
    if slots.each or (slots.indices and not is_numbered):
        return False
    heads, final = opened.heads, opened.heads[-1]
    for number, head in enumerate(heads[:-1]):
        if not head.keys() <= final.keys():
            return False
        before = _Before(opened, slots, number)
        for name, seen in final.items():
            if name in head and before.is_same(head[name], seen):
                continue
            # What was there before the loop is no matter if nobody reads it later.
            if number or name in live or type(name) is not str:
                return False
    return True


class _Before:
    """What there was before one of the tests, against that before the last."""

    def __init__(self, opened: Open, slots: Slots, number: int) -> None:
        self.iterations, self.slots, self.number = opened.iterations, slots, number
        self.last = len(opened.heads) - 1
        # Which array stands where: each for one, by whatever names it goes.
        self.then: dict[int, int] = {}
        self.now: dict[int, int] = {}

    def is_same(self, seen: Seen, final: Seen) -> bool:
        """Whether what a name stood for had the same place."""
        if type(seen) is Value and type(final) is Value:
            return self._is_same_value(seen, final)
        if isinstance(seen, Object) and isinstance(final, Object):
            return self._stands_for(seen, final)
        if type(seen) is tuple and type(final) is tuple:
            return len(seen) == len(final) and all(map(self.is_same, seen, final))
        return type(seen) is type(final) and bool(seen == final)

    def _stands_for(self, array: Object, final: Object) -> bool:
        """Whether it is the same array, or one made anew as long ago."""
        if array.key != final.key and (array.age is None or array.age != final.age):
            return False
        then = self.then.setdefault(final.key, array.key)
        return (
            then == array.key and self.now.setdefault(array.key, final.key) == final.key
        )

    def _is_same_value(self, value: Value, final: Value) -> bool:
        place = self.slots.place_of(final)
        if place is None:
            return value is final
        lag = self.last - place[0]
        if self.number >= lag:
            own = self.iterations[self.number - lag].numbers()
            return own[place[1]] is value
        # From before the loop: what it carries at first, if it reads that at all.
        return all(
            state.first is value
            for state in self.slots.states.values()
            if (state.number, state.lag) == (place[1], lag - self.number)
        )


def are_alike(head: Mapping[Any, Seen], other: Mapping[Any, Seen]) -> bool:
    """Whether Python saw the same kinds of things before two tests."""
    names = {name for name in (*head, *other) if type(name) is str}
    return all(n in head and n in other and _is_like(head[n], other[n]) for n in names)


def _is_like(seen: Any, other: Any) -> bool:
    """Whether two things differ only in which Value of the graph stands there."""
    if type(seen) is not type(other):
        return False
    if type(seen) is Value:
        return meta_of(seen) == meta_of(other)
    if isinstance(seen, Object):
        return True
    if type(seen) is tuple:
        return len(seen) == len(other) and all(map(_is_like, seen, other))
    return bool(seen == other)
