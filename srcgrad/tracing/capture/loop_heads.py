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
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import FrameType
from typing import Any

import numpy as np

from srcgrad.protocols import ArrayProtocol
from srcgrad.steps import Value
from srcgrad.tape.function import has_edge
from srcgrad.tracing.arrays.functional_array import FunctionalArray
from srcgrad.tracing.capture.loop_nodes import LoopNode
from srcgrad.tracing.environment.symbolic import Symbolic
from srcgrad.tracing.graphs.graph_writer import GraphWriter
from srcgrad.tracing.user_code.counters import ORDERS, iterations_until
from srcgrad.transforms.loops.endings import LoopHeads, Object

KNOWN_BY_VALUE = frozenset({int, float, complex, bool, str, bytes, type(None), range})

# What tells loops apart.
KEYS = itertools.count()

# Arrays of constants with more elements are told apart by identity.
MOST_ELEMENTS = 1000
# With more iterations, what Python sees is no longer looked at.
MOST_HEADS = 100_000


class Look:
    """``names`` are those that a loop binds, ``live`` those read when it has ended.

    ``counters`` are names that count the iterations: who compares them tells ``limit``.
    ``count`` is a number of the graph: so many there are, at any other call, too.
    ``is_left``: it may end before; ``ends_alike``: at its end it ends as if it were
    left. With a ``recorder`` it may be one node; ``objects`` are those of the
    function's own.
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
        is_left: bool = True,
        ends_alike: bool = False,
        recorder: Any = None,
        objects: Any = None,
    ) -> None:
        self._writer, self._frame, self._names = writer, frame, tuple(names)
        self._counters = counters
        # What counts the iterations down, if something does.
        self.left = count
        self._loop_heads: LoopHeads | None = LoopHeads(
            frozenset(live), most, ends_alike=ends_alike
        )
        self._changes = writer.changes
        self._objects_changed = writer.object_changes
        # How many iterations there are, as an integer that changes, if that is known.
        self.length: Any = None
        # Is told that the count has been reached.
        self._ends: Callable[[], None] | None = None
        # The arrays that were there before the loop, and are written into.
        self._written: dict[int, FunctionalArray] = {}
        # What number a new array had as each iteration began: older ones have less.
        self._begun: list[int] = []
        # What is told apart by identity has to live on.
        self._held: list[Any] = []
        # The lists that it fills, of which the last items are read.
        self._lists: list[Any] = []
        self.key = next(KEYS)
        # Tries to have the loop as one node, if that may be.
        self.node: LoopNode | None = None
        if recorder is not None and recorder.run_loop is not None:
            self.node = LoopNode(recorder, self, most, is_left)
        self._first: frozenset[int] = frozenset()
        # The objects that were there before, and are changed; and how many there were.
        self.objects, self.changed = objects, dict[int, Any]()
        self._number = 0

    # ----- The loop as one node -----

    @property
    def frame(self) -> FrameType:
        """Where the loop's names are."""
        return self._frame

    @property
    def bound(self) -> tuple[Sequence[str], Sequence[str]]:
        """The names that the loop binds; and those of integers that only count."""
        return self._names, tuple(self._counters)

    @property
    def seen(self) -> LoopHeads | None:
        """What Python has seen so far, if that is looked at."""
        return self._loop_heads

    def has_stored(self) -> bool:
        """Whether something was put anywhere since the loop began, but into objects."""
        changes = self._writer.changes[0] - self._changes[0]
        return changes != self._writer.object_changes - self._objects_changed

    def place(self, number: int) -> Any:
        """A number that goes up by one in each iteration, as an index."""
        return number if self.node is None else self.node.place(number)

    def hold(self, item: Any) -> None:
        """What is told apart by identity has to live on."""
        self._held.append(item)

    def written(self) -> dict[int, Any]:
        """The arrays that were there before, and were written into since."""
        return dict(enumerate(self._written.values()))

    def is_old(self, item: Any) -> bool:
        """Whether something was there before the loop."""
        if not self._begun:
            return True
        if type(item) is FunctionalArray:
            return bool(item.number <= self._begun[0])
        if self.is_object(item):
            return bool(self.objects.number(item) < self._number)
        return id(item) in self._first

    def is_object(self, item: Any) -> bool:
        """Whether something is an object that the function has made."""
        return self.objects is not None and self.objects.is_own(item)

    def changes(self, item: Any) -> None:
        """An object of the function's own changes."""
        self.changed[id(item)] = item

    def is_made_now(self, item: Any) -> bool:
        """Whether an array or list was made in the iteration that has begun last."""
        return bool(item.number > self._begun[-1])

    def rename(self, values: Mapping[Value, Any]) -> None:
        """Others stand in the place of some Values."""
        if self._loop_heads is not None:
            self._loop_heads = self._loop_heads.renamed(values)

    def begins(self) -> bool:
        """An iteration begins: whether there is one."""
        self._look()
        if self.left is None or self.left > 0.0:
            return True
        if self._loop_heads is not None:
            self._loop_heads.counts_down = True
        if self._ends is not None:
            self._ends()
        return False

    def ends(self) -> None:
        """Decrement the trip count."""
        if self.left is not None:
            self.left = self.left - 1.0

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
            self._first = frozenset(map(id, known.values()))
            self._held += known.values()
            self._number = 0 if self.objects is None else self.objects.count
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
        return {("array", n): self._seen(self._written[n]) for n in numbers}

    def writes(self, array: Any) -> bool:
        """An array is written into, by somebody: whether it is looked at.

        So it is if it was there before; and then it was as it is until now. One that
        the loop has made is held by names of the loop's alone, which are looked at.
        """
        number = id(array)
        if self._loop_heads is None:
            return False
        if array.number > self._begun[0]:
            return True
        if number not in self._written:
            self._writer.value_of(array)
            self._written[number] = array
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
        self._held.append(item)
        state = item.loop_state if isinstance(item, Symbolic) else None
        return kind, *((id(item),) if state is None else map(self._seen, state))

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
