"""``Look``: what Python sees of a loop's names each time that an iteration begins.

>>> import sys
>>> from srcgrad.tracing.graphs.graph_writer import GraphWriter
>>> def loop(k, seen=None):
...     look = Look(GraphWriter(), sys._getframe(), ("k", "seen"), ())
...     look.begins()
...     return look.loop_heads().heads
>>> loop(3)
[{'k': (<class 'int'>, '3'), 'seen': (<class 'NoneType'>, 'None')}]
"""

import itertools
from bisect import bisect
from collections.abc import Callable, Iterable, Mapping
from types import FrameType
from typing import Any

import numpy as np

from srcgrad.protocols import ArrayProtocol
from srcgrad.steps import Value
from srcgrad.tape.function import has_edge
from srcgrad.tracing.arrays.functional_array import FunctionalArray
from srcgrad.tracing.capture.carrying import Carrying, Indices, Limit
from srcgrad.tracing.counts.arm_labels import ArmLabel
from srcgrad.tracing.counts.arm_truths import ArmTruth, MaybeTruth
from srcgrad.tracing.counts.loop_counts import LoopCount
from srcgrad.tracing.counts.loop_indices import LoopIndex
from srcgrad.tracing.graphs.graph_writer import GraphWriter
from srcgrad.tracing.user_code.counters import ORDERS, iterations_until
from srcgrad.transforms.loops.endings import LoopHeads, Object

SYMBOLIC_KINDS = frozenset({LoopCount, ArmTruth, MaybeTruth, ArmLabel})
KNOWN_BY_VALUE = frozenset({int, float, complex, bool, str, bytes, type(None), range})

# What tells loops apart.
KEYS = itertools.count()

# Arrays of constants with more elements are told apart by identity.
MOST_ELEMENTS = 1000
# A loop of fewer iterations is no node, nor is one of fewer steps in all.
FEWEST, SHORTEST = 5, 256
# So many iterations are tried: what is carried may be of one kind from the second on.
TRIES = 6
# With more iterations, what Python sees is no longer looked at.
MOST_HEADS = 100_000


class Look:
    """``names`` are those that a loop binds, ``live`` those read when it has ended.

    ``counters`` are names that count the iterations: who compares them tells ``limit``.
    ``count`` is a number of the graph: so many there are, at any other call, too.
    ``ends_alike``: at its end the loop ends as if it were left.
    """

    def __init__(
        self,
        writer: GraphWriter,
        frame: FrameType,
        names: Iterable[str],
        live: Iterable[str],
        most: int | None = None,
        counters: Iterable[str] = (),
        count: Any = None,
        ends_alike: bool = False,
        recorder: Any = None,
    ) -> None:
        self._writer, self._frame, self._names = writer, frame, tuple(names)
        self._recorder = recorder
        self._counters, self._left = counters, count
        self._loop_heads: LoopHeads | None = LoopHeads(
            frozenset(live), most, ends_alike=ends_alike
        )
        self._changes = writer.changes
        # How many iterations there are, as an integer that changes, if that is known.
        self.length: Any = None
        # Is told that the count has been reached.
        self._ends: Callable[[], None] | None = None
        # The arrays that were there before the loop; and those that are written into.
        self._own: dict[int, FunctionalArray] = {}
        self._written: set[int] = set()
        self._order: list[int] = []
        # What number a new array had as each iteration began: older ones have less.
        self._begun: list[int] = []
        # What is told apart by identity has to live on.
        self._held: list[Any] = []
        # The lists that it fills, of which the last items are read.
        self._lists: list[Any] = []
        self.key = next(KEYS)
        # Who tries to have the loop as one node, and how often that has been tried.
        self.carrying: Any = None
        self.numbers: Any = None
        # The indices of the iteration before, and how many steps came before the loop.
        self._before: Indices | None = None
        self._begin = 0
        # The lists that it fills; and whether loops inside do.
        self.filled: list[Any] = []
        self._fills_inside = False
        # Whether its numbers are Python's, but in an iteration that is a function.
        self.is_plain = False
        self._first: frozenset[int] = frozenset()
        self._most = most
        self._ran: Any = None

    # ----- The loop as one node -----

    @property
    def left(self) -> Any:
        """What counts the iterations down, if something does."""
        return self._left

    @left.setter
    def left(self, left: Any) -> None:
        self._left = left

    def hold(self, item: Any) -> None:
        """What is told apart by identity has to live on."""
        self._held.append(item)

    def written(self) -> dict[int, Any]:
        """The arrays that were there before, and were written into since."""
        return {k: self._own[number] for k, number in enumerate(self._order)}

    def is_old(self, item: Any) -> bool:
        """Whether something was there before the loop."""
        if type(item) is FunctionalArray:
            return bool(item.number <= self._begun[0])
        return id(item) in self._first

    def is_made_now(self, array: FunctionalArray) -> bool:
        """Whether an array was made in the iteration that has begun last."""
        return bool(array.number > self._begun[-1])

    def carries(self, turn: int, region: Any) -> Any:
        """An iteration is about to begin: what has run instead of it, if anything."""
        if self._recorder is None or self._recorder.run_loop is None:
            return None
        if self.carrying is not None:
            carrying, self.carrying = self.carrying, None
            self._ran = carrying.leaves(region, self._limit(turn))
            if self._ran is not None:
                self._has_numbers(None)
                self.stops()
                return self._ran
            self._settle()
            self._before = carrying.indices
        if self._ran is not None:
            return None
        if turn == 1 and self._may_number():
            self._before = Indices(self._recorder)
            self._has_numbers(self._before)
        elif 2 <= turn <= TRIES + 1 and self._may_carry(region):
            own = self._frame, self._names, tuple(self._counters)
            carrying = Carrying(self._recorder, *own, self)
            if carrying.enters():
                self.carrying = carrying
                self._has_numbers(carrying.indices)
            else:
                self._settle()
        elif turn > 1:
            self._settle()
        return None

    @property
    def numbers_before(self) -> dict[Value, int]:
        """The indices of the iteration before the one that is a function."""
        return {} if self._before is None else self._before.numbers

    def rename(self, values: Mapping[Value, Any]) -> None:
        """Others stand in the place of some Values."""
        if self._loop_heads is not None:
            self._loop_heads = self._loop_heads.renamed(values)

    def _settle(self) -> None:
        """The indices of iterations that are not to be part of the loop are numbers."""
        self._has_numbers(None)
        if self._before is not None and self._before.numbers:
            self._writer.rename(self._before.numbers, self._begin)
        self._before = None

    def _has_numbers(self, indices: Any) -> None:
        """Have the loop's numbers as Values of the graph, or as they are."""
        if self.numbers is not None:
            self.numbers.carrying = indices

    def _may_number(self) -> bool:
        """Whether what the loop goes along may be indices from the first one on."""
        self._begin, recorder = self._writer.count(), self._recorder
        if recorder is None or recorder.run_loop is None or self.numbers is None:
            return False
        return self._writer.may_carry and (self._most is None or self._most >= FEWEST)

    def _may_carry(self, region: Any) -> bool:
        recorder, writer = self._recorder, self._writer
        if recorder is None or recorder.run_loop is None or self._loop_heads is None:
            return False
        if not writer.may_carry or self._fills_inside:
            return False
        if self._most is None:  # or it is not the end of the loop that a counter tells
            return self._loop_heads.most is None or bool(self._loop_heads.limit)
        if self._most >= FEWEST and region.has_known:
            return True
        size = writer.count() - region.starts[-2]
        return self._most >= FEWEST and self._most * size >= SHORTEST

    def fills_list(self, filled: Any, is_innermost: bool) -> None:
        """A list gets an item, in this loop or in one that it runs."""
        if not is_innermost:
            self.spoils()
        elif not any(each is filled for each in self.filled):
            self.filled.append(filled)
            if self.carrying is not None:
                self.carrying.is_spoiled = True

    def spoils(self) -> None:
        """What is done now is no function of what the loop carries."""
        self._fills_inside = True
        if self.carrying is not None:
            self.carrying.is_spoiled = True

    def sees_list(self, filled: Any) -> None:
        """Python sees a list, which is another one in each iteration."""
        if self.carrying is not None and any(each is filled for each in self.filled):
            self.carrying.is_spoiled = True

    def _limit(self, turn: int) -> Limit:
        """How many iterations are left when one is about to begin."""
        heads = self._loop_heads
        if self._most is not None:
            is_alike = heads is not None and heads.ends_alike
            return Limit(self._most - turn + 1, is_alike=is_alike)
        if heads is None or heads.most is None:
            return Limit(None, counts=isinstance(self._left, ArrayProtocol))
        return Limit(heads.most - turn + 1, bool(heads.limit), False)

    def item(self, item: Any) -> Any:
        """What the loop goes along, as Python gets it."""
        is_number = self.numbers is not None and self.numbers.carrying is None
        return item.value if self.is_plain and is_number else item

    def is_left(self, region: Any) -> None:
        """The loop has ended."""
        if self.carrying is not None:
            carrying, self.carrying = self.carrying, None
            carrying.gives_up()
            self._writer.rename(carrying.indices.numbers, self._begin)
        if region.known is None:
            self._settle()
        elif region.known.exit_condition is not None:
            self._recorder.leaves_loop(self._recorder, region)

    def begins(self) -> bool:
        """An iteration begins: whether there is one."""
        self._look()
        if self._left is None or self._left > 0.0:
            return True
        if self._loop_heads is not None:
            self._loop_heads.counts_down = True
        if self._ends is not None:
            self._ends()
        return False

    def ends(self) -> None:
        """Decrement the trip count."""
        if self._left is not None:
            self._left = self._left - 1.0

    def stops(self) -> None:
        """What Python sees from now on is no matter."""
        self._loop_heads = None

    def _look(self) -> None:
        if self._loop_heads is None:
            return
        known = self._frame.f_locals
        # What gives its items once only is another thing each time.
        is_steady = not any(hasattr(type(v), "__next__") for v in known.values())
        if not is_steady or len(self._loop_heads.heads) == MOST_HEADS:
            self._loop_heads = None
            return
        if not self._loop_heads.heads:
            self._own = {id(v): v for v in known.values() if type(v) is FunctionalArray}
            self._first = frozenset(map(id, known.values()))
            self._held += known.values()
        self._begun.append(FunctionalArray(None).number)
        if any(type(known.get(name)) is not int for name in self._counters):
            self._loop_heads = None
            return
        head = {name: self._seen(known[name]) for name in self._names if name in known}
        lasts = {("list", i): self._last_of(i) for i in range(len(self._lists))}
        self._loop_heads.heads.append(head | self._contents(self._written) | lasts)

    def follow(self, filled: Any) -> None:
        """Look at the last item of a list, which gets its first one in this loop now.

        No other iteration has begun yet.
        """
        self._lists.append(filled)
        if self._loop_heads is not None:
            number = len(self._lists) - 1
            self._loop_heads.heads[-1]["list", number] = self._last_of(number)

    def _last_of(self, number: int) -> Any:
        items = self._lists[number].items
        return self._seen(items[-1]) if items else None

    def _contents(self, numbers: Iterable[int]) -> dict[Any, Any]:
        """What some arrays hold, under names that are no names of the user's."""
        return {("array", n): self._seen(self._own[n]) for n in numbers}

    def writes(self, array: Any) -> bool:
        """An array is written into, by somebody: whether it is looked at.

        So it is if it was there before; and then it was as it is until now. One that
        the loop has made is held by names of the loop's alone, which are looked at.
        """
        number = id(array)
        if self._loop_heads is None:
            return False
        if number not in self._own:
            return bool(array.number > self._begun[0])
        if number not in self._written:
            self._writer.value_of(array)
            self._written.add(number)
            self._order.append(number)
            for head in self._loop_heads.heads:
                head.update(self._contents([number]))
        return True

    def limit(self, limit: tuple[int, str], order: str, left: Any, right: Any) -> None:
        """One of the counters is compared: for how many iterations it is the same.

        That it is so in each iteration counts, for a later one may be the last.
        """
        if self._loop_heads is None:
            return
        if type(left) is not int or type(right) is not int:
            self._loop_heads = None
            return
        change, stands = limit
        begun = len(self._loop_heads.heads) - 1
        most = iterations_until(ORDERS[order], left - right - change * begun, change)
        if most is not None:
            self._loop_heads = self._loop_heads.limited(most, stands)

    def leaves(self, is_told: bool) -> None:
        """The test that comes last has been made: whether it alone is written down."""
        if self._loop_heads is not None and not is_told:
            self._loop_heads.ends_alike = False

    def number(self, ends: Callable[[], None] | None) -> None:
        """The iterations have numbers, and a name; ``ends`` is called at the end."""
        assert self._loop_heads is not None
        self._loop_heads.are_numbered, self._ends = True, ends

    def see(self) -> None:
        """Python has looked at the number of an iteration."""
        if self._loop_heads is not None:
            self._loop_heads.are_seen = True

    def loop_heads(self) -> LoopHeads | None:
        """All that was seen; None if something has changed that no name tells of."""
        if self._loop_heads is None or self._changes != self._writer.changes:
            return None
        return self._loop_heads if self._loop_heads.are_within_limits() else None

    def _seen(self, item: Any) -> Any:
        kind = type(item)
        if kind in KNOWN_BY_VALUE:
            return kind, repr(item)
        if kind is tuple or kind is list:
            return kind, *map(self._seen, item)
        if kind is dict:
            return kind, *map(self._seen, item), *map(self._seen, item.values())
        if type(item) is FunctionalArray:
            return kind, self._object(item), self._filled(item.content)
        if isinstance(item, (ArrayProtocol, np.ndarray, np.generic)):
            value = self._writer.value_at(item)
            if value is not None:
                is_live = isinstance(item, ArrayProtocol) and has_edge(item)
                whole = (
                    self._object(item.root)
                    if isinstance(item, FunctionalArray)
                    else None
                )
                return kind, whole, is_live, value
        if kind in SYMBOLIC_KINDS:
            return kind, *map(self._seen, (item.as_float(),))
        self._held.append(item)
        if kind is LoopIndex:
            return kind, *map(self._seen, item.seen_so_far)
        return kind, id(item)

    def _filled(self, content: Any) -> Any:
        """What an array holds: constants are the same, whichever array has them."""
        is_known = type(content) is not np.ndarray or content.size > MOST_ELEMENTS
        if is_known or self._writer.value_at(content) is not None:
            return self._seen(content)
        return content.shape, content.dtype.str, content.strides, content.tobytes()

    def _object(self, array: FunctionalArray) -> Object:
        """The array itself, whatever it holds."""
        self._held.append(array)
        age = len(self._begun) - bisect(self._begun, array.number)
        return Object(id(array), age if age < len(self._begun) else None)
