"""``LoopCount``: an integer that goes up in a ``while``, or in an arm, and is read.

It is a float of the graph that a loop carries, from which it comes where it is an
index or a result: ``k = k + 1.0``, ``x[int(k)]``. So the loop is one trace for every
count, and what becomes of ``k`` in the end is computed. Who looks at the integer gets
it, under a guard.

>>> from srcgrad.tracing.graphs.recorder import Recorder
>>> from srcgrad.modes import override
>>> recorder = Recorder()
>>> with override(recorder=recorder):
...     k = started(recorder, "k", 0)
...     k = k + 1
...     k.value, float(k.as_float().value)
(1, 1.0)
"""

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from srcgrad.operators import COMPARISONS
from srcgrad.protocols import raw_of
from srcgrad.tracing.arrays.traced_array import TracedArray
from srcgrad.tracing.counts.loop_indices import MOST, computed, exact, product
from srcgrad.tracing.environment.changing_ints import PYTHONS, FollowedInt
from srcgrad.tracing.environment.references import Known, Reference

# What keeps it an integer, if the other operand is one.
WITHIN = ("add", "sub", "mul")
SUMS = ("add", "sub")
PARTS = ("floordiv", "mod")
# So large, one that goes on to count is still as exact as a float.
LARGEST = 2.0**52


class LoopCount(FollowedInt):
    """The integer ``value``, which is a float in the graph; ``name`` is the user's.

    ``is_product``: it would soon be too large for that, if it went on in a loop. What
    ``may_grow`` is one, or a sum of others: where it grows again it is seen that a
    float can hold it. What ``is_small`` is so at any call.
    ``index`` is an integer of the graph, if there is one; ``of`` an array in the graph,
    if it is the length of that, and how much more it is.
    """

    __slots__ = (
        *("index", "is_product", "is_small", "may_grow", "name", "of", "recorder"),
    )

    def __init__(
        self,
        recorder: Any,
        name: str | None,
        value: int,
        as_float: Any,
        is_product: bool = False,
    ) -> None:
        self.index: Any = None
        self.of: tuple[Any, int] | None = None
        self.recorder, self.name, self.value = recorder, name, value
        self._float, self.is_product = as_float, is_product
        self.is_small, self.may_grow = False, is_product
        if name is not None:
            recorder.name(name, as_float)

    def with_float(self, as_float: Any) -> "LoopCount":
        """The same of another number of the graph."""
        value = int(as_float.value)
        made = LoopCount(self.recorder, self.name, value, as_float, self.is_product)
        made.is_small, made.may_grow = self.is_small, self.may_grow
        return made

    @property
    def reference(self) -> Reference:  # type: ignore[override]
        """For who finds it again at each call: where it is seen, it is a constant."""
        return Known(repr(self.seen()), self.value)

    def seen(self) -> int:
        """The number itself, for Python to depend on."""
        self._float._taken_out(int, self.value)
        return self.value

    def as_float(self) -> Any:
        """The number in the graph, as a float."""
        return self._float

    def as_index(self) -> Any:
        """The number as an index of an array, or as a result: an integer again."""
        if self.index is not None:
            return self.index
        writer = self.recorder.writer
        return writer.write_index(int, (writer.value_of(self._float),), self.value)

    def _operate(self, name: str, other: Any, is_reflected: bool) -> Any:
        if name in PARTS and type(other) is int and other > 0 and not is_reflected:
            value = PYTHONS[name](self.value, other)
            args = self.as_index(), other
            made = computed_int(self.recorder, PYTHONS[name], args, value)
            made.is_small = self.is_small or (name == "mod" and other < MOST)
            made.may_grow = self.may_grow and not made.is_small
            return made
        is_integer = type(other) is int and abs(other) < MOST
        if (is_integer and name in WITHIN) or (_is_other(other) and name in SUMS):
            pair = (other, self) if is_reflected else (self, other)
            value = PYTHONS[name](*map(_int, pair))
            if abs(value) < MOST:
                function = product if name == "mul" else PYTHONS[name]
                as_float = function(*map(_float, pair))
                made = self._result(name, pair, value, as_float)
                if self._grows_again(name, other):
                    bool(abs(as_float) < LARGEST)  # a condition of the trace
                return made
        found = exact(name, (other, self) if is_reflected else (self, other))
        return computed(name, self, other, is_reflected) if found is None else found

    def _grows_again(self, name: str, other: Any) -> bool:
        """Whether a loop that goes on with what comes of it may make it any size.

        One that counts does not: there is no time for so many iterations.
        """
        if name == "mul":
            return self.may_grow and abs(other) > 1
        return _is_other(other) and not (self.is_small or _is_small(other))

    def _result(self, name: str, pair: Any, value: int, as_float: Any) -> "LoopCount":
        """What an operator gives; an integer of the graph if this is one."""
        other = pair[0] if pair[1] is self else pair[1]
        is_product = name == "mul" and abs(other) > 1
        both = [each for each in pair if type(each) is LoopCount]
        is_product = is_product or any(each.is_product for each in both)
        made = LoopCount(self.recorder, self.name, value, as_float, is_product)
        made.may_grow |= any(each.may_grow for each in both)
        made.may_grow |= self._grows_again(name, other)
        if self.of is not None and type(other) is int and name in SUMS:
            is_more = pair[0] is self or name == "add"
            array, more = self.of
            if is_more:
                made.of = array, PYTHONS[name](more, other)
        indices = [_index(each) for each in pair]
        if None not in indices:
            writer = self.recorder.writer
            args = tuple(map(writer.symbols, indices))
            made.index = writer.write_index(PYTHONS[name], args, value)
        return made

    def named(self, name: str) -> None:
        """Note what the user calls it."""
        for item in (self.index, self._float):
            if item is not None:
                self.recorder.writer.name(raw_of(item), name)

    def __neg__(self) -> Any:
        return self._operate("mul", -1, False)

    def __bool__(self) -> bool:
        return bool(self._float != 0.0)

    __hash__ = FollowedInt.__hash__


def computed_int(
    recorder: Any, function: Any, args: Sequence[Any], number: int
) -> LoopCount:
    """The integer ``number``, which a function gives of what is in the graph."""
    writer = recorder.writer
    args = tuple(
        [each if type(each) is int else writer.value_of(each) for each in args]
    )
    index = writer.write_index(function, args, number)
    as_float = float(number)
    writer.write_plain(float, (writer.value_of(index),), as_float, None)
    count = LoopCount(recorder, None, number, TracedArray.make(as_float, None))
    count.index = index
    return count


def count_of(recorder: Any, index: Any) -> LoopCount:
    """What stands for the number of an iteration that goes on with any other."""
    return LoopCount(recorder, None, index.value, index.as_float())


def joined_count(recorder: Any, name: str, as_float: Any, given: Any) -> LoopCount:
    """What stands for one of two integers, which is this float in the graph."""
    made = LoopCount(recorder, name, int(raw_of(as_float)), as_float)
    counts = [each for each in given if type(each) is LoopCount]
    made.is_small = not counts  # the numbers that the arms have written there
    made.may_grow = any(count.may_grow for count in counts)
    return made


def started(recorder: Any, name: str | None, value: int) -> Any:
    """What stands for an integer of Python's that begins to count."""
    if abs(value) > MOST:
        return value
    raw = float(value)
    recorder.writer.write_plain(float, (value,), raw, None)
    return LoopCount(recorder, name, value, TracedArray.make(raw, None))


def counted(
    recorder: Any, name: str | None, items: Iterable[int], step: int
) -> Iterator[Any]:
    """The items of a range, each of which is computed from the one before."""
    number: Any = None
    for value in items:
        is_first = number is None
        number = started(recorder, name, value) if is_first else number + step
        yield number


def _is_other(item: Any) -> bool:
    """Whether it is one like it, or an integer that changes from call to call."""
    return type(item) in (LoopCount, FollowedInt)


def _is_small(item: Any) -> bool:
    return type(item) is LoopCount and item.is_small


def _index(item: Any) -> Any:
    """An integer, or one of the graph, if there is one."""
    if type(item) is LoopCount:
        return item.index
    return item if type(item) is int else None


def _int(item: Any) -> int:
    return item.value if isinstance(item, FollowedInt) else item


def _float(item: Any) -> Any:
    return item.as_float() if isinstance(item, FollowedInt) else float(item)


def _install() -> None:
    def compared(function: Callable[[Any, Any], Any]) -> Any:
        def method(self: LoopCount, other: Any) -> Any:
            if type(other) is int and abs(other) < MOST:
                return bool(function(self.as_float(), float(other)))
            if _is_other(other):
                return bool(function(self.as_float(), other.as_float()))
            seen = other.seen() if isinstance(other, FollowedInt) else other
            return function(self.seen(), seen)

        return method

    for comparison in COMPARISONS:
        name = comparison.name
        setattr(LoopCount, f"__{name}__", compared(getattr(operator, name)))


_install()
