"""``LoopItem``: an integer that a loop is given, another one in each iteration.

``for i, j in pairs`` is one loop of the graph as long as nothing in Python depends on
``i`` and ``j``: as an index of an array, in a formula with floats, in the test of an
``if`` each is an element of an array of the graph. Who looks at it gets the number, and
the loop is recorded iteration by iteration.

>>> from srcgrad.tracing.counts.loop_indices import Numbers
>>> numbers = Numbers(None, None, lambda: print("seen"))
>>> i = LoopItem(3, Within(0, 7), LoopIndex(numbers, 0, 0, 1), None, lambda: None)
>>> (2 * i + 1).concrete, (2 * i + 1).bounds
(7, Within(least=1, most=15))
>>> i == 3
seen
True
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from srcgrad.tracing.arrays.functional_array import FunctionalView
from srcgrad.tracing.arrays.traced_array import TracedArray
from srcgrad.tracing.counts.loop_indices import (
    MOST,
    LoopIndex,
    as_float,
    as_index,
    computed,
    float_of,
)
from srcgrad.tracing.environment.changing_ints import LARGEST, FollowedInt
from srcgrad.tracing.environment.symbolic import (
    PYTHONS,
    Symbolic,
    as_seen,
    concrete_of,
)
from srcgrad.unboxing import EXACT


class Within(NamedTuple):
    """The bounds of an integer, in all iterations."""

    least: int
    most: int


class ItemNumber(Symbolic):
    """An integer of the graph in an iteration; ``bounds`` are those in all.

    ``at`` is the number of that iteration.
    """

    __slots__ = ("_looks", "at", "bounds")

    is_changing, leads, loop_state = True, True, None

    def __init__(self, value: int, bounds: Within, at: LoopIndex) -> None:
        super().__init__(value, None)
        self.bounds, self.at = bounds, at
        self._looks = 0  # an arm has a float of its own

    def look(self) -> Any:
        """The number itself, for Python to depend on."""
        self.at.numbers.see()
        return self.concrete

    def as_float(self) -> Any:
        """The number in the graph, as a float."""
        if not self._is_at_hand():
            return self.look()
        if self._float is None or self._looks != FunctionalView.looks:
            self._looks = FunctionalView.looks
            self._float = self._computed_float()
        return self._float

    def as_index(self) -> Any:
        """The number as an index of an array."""
        return self._computed_index() if self._is_at_hand() else self.look()

    def _is_at_hand(self) -> bool:
        """Whether the graph has it: in its own iteration, if that is a function."""
        return self.at.numbers.carrying is not None and self.at._is_at_hand()

    def _computed_float(self) -> Any:
        raise NotImplementedError

    def _computed_index(self) -> Any:
        raise NotImplementedError

    def _operate(self, name: str, other: Any, is_reflected: bool) -> Any:
        pair = (other, self) if is_reflected else (self, other)
        if name == "pow" and not is_reflected and type(other) is int and other == 2:
            name, pair = "mul", (self, self)
        within = _within(name, pair)
        if within is not None:
            return ComputedItem(name, pair, within, self.at)
        return computed(name, self, other, is_reflected)

    def __neg__(self) -> Any:
        return self._operate("mul", -1, False)


class LoopItem(ItemNumber):
    """One that the loop goes along; ``index`` stands for it in the graph.

    ``note`` is called where Python depends on it.
    """

    __slots__ = ("_note", "index")

    def __init__(
        self,
        value: int,
        bounds: Within,
        at: LoopIndex,
        index: Any,
        note: Callable[[], Any],
    ) -> None:
        super().__init__(value, bounds, at)
        self.index, self._note = index, note

    def look(self) -> Any:
        """The number itself, for Python to depend on."""
        self._note()
        return super().look()

    def _computed_index(self) -> Any:
        return self.index

    def _computed_float(self) -> Any:
        writer, raw = self.at.numbers.writer, float(self.concrete)
        writer.write_plain(float, (writer.symbols(self.index),), raw, None)
        return TracedArray.make(raw, None)


class ComputedItem(ItemNumber):
    """One that is computed of others: ``i + j``, ``2 * i``, ``i % 3``."""

    __slots__ = ("function", "parts")

    def __init__(
        self, name: str, parts: tuple[Any, Any], bounds: Within, at: LoopIndex
    ) -> None:
        super().__init__(PYTHONS[name](*map(concrete_of, parts)), bounds, at)
        self.function, self.parts = PYTHONS[name], parts

    def look(self) -> Any:
        """The number itself, for Python to depend on."""
        as_seen(self.parts)
        return self.concrete

    def _is_at_hand(self) -> bool:
        numbers = (part for part in self.parts if type(part) is not int)
        return all(part._is_at_hand() for part in numbers)

    def _computed_index(self) -> Any:
        writer = self.at.numbers.writer
        args = tuple([writer.symbols(as_index(part)) for part in self.parts])
        return writer.write_index(self.function, args, self.concrete)

    def _computed_float(self) -> Any:
        return float_of(self.function, [*map(as_float, self.parts)])


def _bounds(item: Any) -> Within | None:
    """Those of an operand; None if it is none of the graph."""
    if type(item) is int:
        return Within(item, item)
    if isinstance(item, ItemNumber):
        return item.bounds
    start = _bounds_of_start(item.base) if type(item) is LoopIndex else None
    return None if start is None else Within(start.least - MOST, start.most + MOST)


def _bounds_of_start(base: Any) -> Within | None:
    """Those of what the numbers of a loop count on from."""
    if base is None:
        return Within(0, 0)
    return Within(-LARGEST, LARGEST) if type(base) is FollowedInt else _bounds(base)


def _within(name: str, pair: tuple[Any, Any]) -> Within | None:
    """The bounds of a result; None if it is none of the graph, or may be too large."""
    one, other = map(_bounds, pair)
    if one is None or other is None:
        return None
    if name == "add":
        found = Within(one.least + other.least, one.most + other.most)
    elif name == "sub":
        found = Within(one.least - other.most, one.most - other.least)
    elif name == "mul":
        products = [a * b for a in one for b in other]
        found = Within(min(products), max(products))
    elif name in ("mod", "floordiv") and type(pair[1]) is int and pair[1] > 0:
        found = Within(0, pair[1] - 1)
        if name == "floordiv":
            found = Within(*(end // pair[1] for end in one))
    else:
        return None
    return found if max(-found.least, found.most) < EXACT else None
