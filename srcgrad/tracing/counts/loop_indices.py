"""``LoopIndex``: the number of an iteration, in a loop of any count.

``for i in range(n)`` is one trace for all ``n`` as long as nothing in Python depends on
``i``: as an index of an array it is one in the generated loop, in a formula with floats
it is a float of the graph. Who looks at it (a branch, a list, a text) gets the number,
and the loop stays as long as it was.

>>> numbers = Numbers(None, None, lambda: print("seen"))
>>> i = LoopIndex(numbers, 0, 3, 1)
>>> (2 * i - 1).concrete, (2 * i - 1).step
(5, 2)
>>> bool(i)
seen
True
"""

import itertools
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from srcgrad.steps import Guard
from srcgrad.tracing.arrays.functional_array import FunctionalView
from srcgrad.tracing.arrays.traced_array import TracedArray
from srcgrad.tracing.environment import conditions
from srcgrad.tracing.environment.changing_ints import LARGEST, FollowedInt, is_float
from srcgrad.tracing.environment.containers import Followed
from srcgrad.tracing.environment.references import Reference
from srcgrad.tracing.environment.symbolic import PYTHONS, Symbolic, as_seen
from srcgrad.tracing.refusal import give_up

# Up to here, indices times these are exact as floats for as long as anybody waits.
MOST = 2**20


class Numbers:
    """The numbers of the iterations of a loop over a range, whose length changes.

    ``see`` is told that Python depends on one of them, ``is_live``: the name of the
    last one may be read when the loop is over.
    """

    def __init__(
        self, length: Any, recorder: Any, see: Callable[[], None], is_live: bool = False
    ) -> None:
        self.length: FollowedInt | None = length
        self._recorder, self._see, self._is_live = recorder, see, is_live
        # How many iterations have begun; where the last one has, and was numbered last.
        self.begun = self._start = self._last = 0
        # The iteration that runs, if it is recorded as a function.
        self.carrying: Any = None
        # Whether it goes on; and if not, whether the range has come to its end.
        self.is_running, self._is_over = True, False

    @property
    def writer(self) -> Any:
        """Who writes down what is computed of them."""
        return self._recorder.writer

    def of_rows(self, rows: Any, changes: Callable[[], None]) -> "Iterator[LoopIndex]":
        """The numbers of items, for as long as there are such.

        ``changes`` is called where these are not what they were.
        """
        try:
            for number in itertools.takewhile(rows.has, itertools.count()):
                if self.carrying is not None and not rows.are_as_before():
                    changes()
                self._begin()
                yield LoopIndex(self, number, number, 1)
        finally:
            self._leave(0)

    def over(self, start: Any, step: int) -> "Iterator[LoopIndex]":
        """The items of a range, for as long as anybody asks."""
        base = start if isinstance(start, Symbolic) else None
        try:
            for number in itertools.count():
                self._begin()
                value = (start if base is None else base.concrete) + step * number
                yield LoopIndex(self, number, value, step, base)
        finally:
            if not self._is_over:
                self._leave(1)

    def along(self, items: range) -> "Iterator[LoopIndex]":
        """The same of a range that is known, in a loop that may end before."""
        try:
            for number, value in enumerate(items):
                self._begin()
                yield LoopIndex(self, number, value, items.step)
        finally:
            self._leave(0)

    def _begin(self) -> None:
        self.begun += 1
        self._start = self._recorder.writer.count()

    def _leave(self, tests: int) -> None:
        """The loop has ended, and not with its range; so many tests come first in it.

        After another test, it may be that which has ended it, all is as it was.
        """
        self.is_running, writer = False, self._recorder.writer
        steps = writer.steps_from(self._start)
        others = [n for n, step in enumerate(steps) if type(step) is Guard][tests:]
        is_behind = others and self._last > self._start + others[0]
        if self._is_live or is_behind:
            self._see()  # it is not transformed yet

    def end(self) -> None:
        """The range has come to its end."""
        self.is_running, self._is_over = False, True

    def see(self) -> None:
        """Python depends on one of the numbers: so the loop is as long as it was."""
        if self.carrying is not None:
            self.carrying.is_spoiled = True
        if not self.is_running and self._recorder.walks:
            give_up("looks at the number of an iteration when its loop is transformed")
        self._see()

    def known(self, index: "LoopIndex") -> FollowedInt | None:
        """A number when the loop is over: what it is, for any length of the range."""
        length: Any = self.length
        if length is None or not self._is_over or index.base is not None:
            return None
        lag = length.concrete - index.number
        length.reads.require(conditions.is_more_than(length.reference, lag - 1))
        start = index.concrete - index.step * index.number
        found: FollowedInt = (length - lag) * index.step + start
        return found

    def as_float(self, number: int, base: Any, step: int) -> Any:
        """A number in the graph, as a float."""
        writer = self._recorder.writer
        self._last = writer.count()
        if base is not None:
            return self.as_float(number - base.concrete, None, step) + base.as_float()
        raw, own = float(number), self._own(number, step)
        writer.write_plain(float, (writer.symbols(own),), raw, None)
        return TracedArray.make(raw, None)

    def as_index(self, number: int, base: FollowedInt | None, step: int) -> Any:
        """A number in the graph, as an index."""
        writer = self._recorder.writer
        self._last = writer.count()
        begin = 0 if base is None else base.as_index()
        if base is None or type(begin) is int:
            return self._own(number, step)
        own = self._own(number - base.concrete, step)
        args = (writer.symbols(begin), writer.symbols(own))
        return writer.write_index(operator.add, args, number)

    def _own(self, number: int, step: int) -> Any:
        """A number that depends on nothing else: an index, if the loop has any."""
        return number if self.carrying is None else self.carrying.index(number, step)


class LoopIndex(Symbolic):
    """A number that goes up by ``step`` from one iteration to the next.

    ``number`` is that of the iteration, ``base`` what of it depends on something else.
    """

    __slots__ = ("_looks", "base", "number", "numbers", "step")

    is_changing = True

    def __init__(
        self,
        numbers: Numbers,
        number: int,
        value: int,
        step: int,
        base: Any = None,
    ) -> None:
        super().__init__(value, None)
        self.numbers, self.number = numbers, number
        self.step, self.base = step, base
        self._looks = 0  # an arm has one of its own

    @property
    def reference(self) -> Reference:
        """The same of one whose loop is over: it is known for any length."""
        known = self.numbers.known(self)
        return super().reference if known is None else known.reference

    @property
    def loop_state(self) -> Any:
        """What it is, seen from the iteration that runs."""
        begun = self.numbers.begun
        return id(self.numbers), self.step, self.concrete - self.step * begun, self.base

    def look(self) -> Any:
        """The number itself, for Python to depend on."""
        known = self.numbers.known(self)
        if known is not None:
            return known.look()
        self.numbers.see()
        if self.base is not None:
            self.base.look()
        return self.concrete

    def as_float(self) -> Any:
        """The number in the graph, as a float: another one in each iteration."""
        known = self.numbers.known(self)
        if known is not None:
            return known.as_float()
        if not self._is_at_hand():
            return self.look()
        if self._float is None or self._looks != FunctionalView.looks:
            self._looks = FunctionalView.looks
            self._float = self.numbers.as_float(self.concrete, self.base, self.step)
        return self._float

    def as_index(self) -> Any:
        """The number as an index of an array."""
        known = self.numbers.known(self)
        if known is not None:
            return known.as_index()
        if not self._is_at_hand():
            return self.look()
        return self.numbers.as_index(self.concrete, self.base, self.step)

    def _is_at_hand(self) -> bool:
        """Whether the graph has it: while the loop runs, and unless it is large."""
        base, numbers = self.base, self.numbers
        if type(base) is LoopIndex and not base._is_at_hand():
            return False
        if numbers.carrying is not None and self.number != numbers.begun - 1:
            return False
        start = 0 if base is None else base.concrete
        is_small = abs(self.concrete - start) <= MOST and abs(self.step) <= MOST
        is_small = is_small and abs(start) <= LARGEST
        return numbers.is_running and is_small

    def _with(self, value: int, step: int, base: Any) -> "LoopIndex":
        return LoopIndex(self.numbers, self.number, value, step, base)

    def _operate(self, name: str, other: Any, is_reflected: bool) -> Any:
        if isinstance(other, Symbolic) and other.leads:
            return NotImplemented  # it knows what to do
        mine, other = _known(self), _known(other)
        if mine is self:
            found = self._moved(name, other, is_reflected)
            if found is None:
                found = exact(name, (other, self) if is_reflected else (self, other))
            return computed(name, self, other, is_reflected) if found is None else found
        return PYTHONS[name](*((other, mine) if is_reflected else (mine, other)))

    def _moved(self, name: str, other: Any, is_reflected: bool) -> Any:
        """The result, if that goes up evenly too."""
        is_start = type(other) is FollowedInt or self._is_of_another(other)
        own = other.concrete if is_start else other
        if type(own) is not int or name not in ("add", "sub", "mul"):
            return None
        first, second = (own, self.concrete) if is_reflected else (self.concrete, own)
        value = PYTHONS[name](first, second)
        if own is not other:
            if self.base is not None or name == "mul":
                return None
            sign = -1 if name == "sub" and is_reflected else 1
            base = -other if name == "sub" and not is_reflected else other
            return self._with(value, sign * self.step, base)
        if name == "mul" and not own:
            return 0
        if name == "mul":
            base = None if self.base is None else self.base * other
            return self._with(value, self.step * other, base)
        if name == "sub" and is_reflected:
            base = None if self.base is None else -self.base
            return self._with(value, -self.step, base)
        return self._with(value, self.step, self.base)

    def _is_of_another(self, other: Any) -> bool:
        """Whether a number is that of another loop, which runs around this one."""
        return type(other) is LoopIndex and other.numbers is not self.numbers

    def __neg__(self) -> Any:
        return self._operate("mul", -1, False)


class LoopNumber(Symbolic):
    """An integer that is computed of those, and as exact as a float."""

    __slots__ = ("function", "parts")

    is_changing, loop_state = True, None

    def __init__(self, name: str, parts: Sequence[Any], value: int) -> None:
        super().__init__(value, None)
        self.function, self.parts = PYTHONS[name], parts

    def look(self) -> Any:
        """The number itself, for Python to depend on."""
        as_seen(tuple(self.parts))
        return self.concrete

    def as_float(self) -> Any:
        """The number in the graph, as a float."""
        floats = [*map(as_float, self.parts)]
        if any(type(each) is int for each in floats):  # too large to be a float
            return self.look()
        return float_of(self.function, floats)

    def _operate(self, name: str, other: Any, is_reflected: bool) -> Any:
        return computed(name, self, other, is_reflected)


def exact(name: str, pair: tuple[Any, Any]) -> LoopNumber | None:
    """``(2 * k) * (2 * k + 1)``, ``k**2``, ``(-1) ** k``, ``k % 3`` or ``k // 3``.

    If it is one of these: of floats that are exact they are the integers' as floats.
    """
    first, second = pair
    if name == "pow" and type(second) is int and second == 2:
        return LoopNumber("mul", (first, first), first.concrete**2)
    if name == "pow" and type(first) is int and first == -1 and second.concrete >= 0:
        return LoopNumber("pow", pair, (-1) ** second.concrete)
    if name in ("mod", "floordiv") and type(second) is int and second > 0:
        value: int = PYTHONS[name](first.concrete, second)
        return LoopNumber(name, pair, value)
    if name == "mul" and _is_exact(first) and _is_exact(second):
        return LoopNumber("mul", pair, first.concrete * second.concrete)
    return None


def float_of(function: Any, floats: Sequence[Any]) -> Any:
    """What a function makes of two integers, as a float: these are floats."""
    found, (first, second) = function(*floats), floats
    if function is operator.mul and first is not second:
        return found + 0.0  # a zero among integers has no sign
    return found


def as_float(item: Any) -> Any:
    """An integer as a float, of the graph if it stands for one."""
    return item.as_float() if isinstance(item, Symbolic) else float(item)


def computed(name: str, mine: Symbolic, other: Any, is_reflected: bool) -> Any:
    """What an operator gives: a float of the graph, or Python's integer."""
    is_quotient = name == "truediv" and isinstance(other, (int, Symbolic))
    operand: Any = mine.as_float() if is_quotient or is_float(other) else mine.look()
    if isinstance(other, Symbolic):
        other = other.as_float() if is_quotient else other.look()
    return PYTHONS[name](*((other, operand) if is_reflected else (operand, other)))


def _is_exact(item: Any) -> bool:
    return isinstance(item, Symbolic) and type(item) is not LoopNumber


def _known(item: Any) -> Any:
    """What stands for a number whose loop is over; all else as it is."""
    found = item.numbers.known(item) if type(item) is LoopIndex else None
    return item if found is None else found


def as_index(index: Any) -> Any:
    """An index of an array, with what stands there for the numbers of iterations.

    What it selects has the same shape in each iteration. A slice has not.
    """
    if isinstance(index, Symbolic):
        return index.as_index()
    if isinstance(index, Followed):  # a list from outside: all of its numbers
        return index.opened()
    if type(index) is tuple and any(map(_is_followed, index)):
        return tuple([as_index(each) for each in index])
    return index


def _is_followed(part: Any) -> bool:
    return isinstance(part, (Symbolic, Followed))


def is_at_hand(item: Any) -> bool:
    """Whether something is the number of an iteration that the graph has."""
    return type(item) is LoopIndex and item._is_at_hand()


def has_number(index: Any) -> bool:
    """Whether an integer that changes stands in an index."""
    parts = index if type(index) is tuple else (index,)
    return any(isinstance(part, Symbolic) for part in parts)
