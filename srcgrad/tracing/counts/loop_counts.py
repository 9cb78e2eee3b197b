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
...     k.concrete, float(k.as_float().value)
(1, 1.0)
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from srcgrad.protocols import raw_of
from srcgrad.tracing.arrays.traced_array import TracedArray
from srcgrad.tracing.counts.loop_indices import (
    MOST,
    as_float,
    computed,
    exact,
    float_of,
)
from srcgrad.tracing.environment.changing_ints import LARGEST, FollowedInt
from srcgrad.tracing.environment.symbolic import (
    PYTHONS,
    PYTHONS_ORDER,
    Symbolic,
    concrete_of,
    is_counted,
)

# What keeps it an integer, if the other operand is one.
WITHIN = ("add", "sub", "mul")
SUMS = ("add", "sub")
PARTS = ("floordiv", "mod")


class LoopCount(Symbolic):
    """The integer ``concrete``, which is a float in the graph; ``name`` is the user's.

    ``is_product``: it would soon be too large for that, if it went on in a loop. What
    ``may_grow`` is one, or a sum of others: where it grows again it is seen that a
    float can hold it. What ``is_small`` is so at any call.
    ``index`` is an integer of the graph, if there is one; ``of`` an array in the graph,
    if it is the length of that, and how much more it is.
    """

    __slots__ = (
        *("index", "is_product", "is_small", "may_grow", "name", "of", "recorder"),
    )

    is_counted = True

    def __init__(
        self,
        recorder: Any,
        name: str | None,
        value: int,
        as_float: Any,
        is_product: bool = False,
    ) -> None:
        super().__init__(value, as_float)
        self.index: Any = None
        self.of: tuple[Any, int] | None = None
        self.recorder, self.name, self.is_product = recorder, name, is_product
        self.is_small, self.may_grow = False, is_product
        if name is not None:
            recorder.name(name, as_float)

    def with_float(self, as_float: Any) -> "LoopCount":
        """The same of another number of the graph."""
        value = int(as_float.value)
        made = LoopCount(self.recorder, self.name, value, as_float, self.is_product)
        made.is_small, made.may_grow = self.is_small, self.may_grow
        return made

    def as_index(self) -> Any:
        """The number as an index of an array, or as a result: an integer again."""
        if self.index is not None:
            return self.index
        writer = self.recorder.writer
        return writer.write_index(int, (writer.value_of(self._float),), self.concrete)

    def _operate(self, name: str, other: Any, is_reflected: bool) -> Any:
        if name in PARTS and type(other) is int and other > 0 and not is_reflected:
            value = PYTHONS[name](self.concrete, other)
            args = self.as_index(), other
            made = computed_int(self.recorder, PYTHONS[name], args, value)
            made.is_small = self.is_small or (name == "mod" and other < MOST)
            made.may_grow = self.may_grow and not made.is_small
            return made
        is_integer = type(other) is int and abs(other) < MOST
        if (is_integer and name in WITHIN) or (_is_other(other) and name in SUMS):
            pair = (other, self) if is_reflected else (self, other)
            value = PYTHONS[name](*map(concrete_of, pair))
            if abs(value) < MOST:
                number = float_of(PYTHONS[name], [*map(as_float, pair)])
                made = self._result(name, pair, value, number)
                if self._grows_again(name, other):
                    bool(abs(number) < float(LARGEST))  # a condition of the trace
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
        both = [*filter(is_counted, pair)]
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

    def _compare(self, name: str, other: Any) -> Any:
        is_small = type(other) is int and abs(other) < MOST
        if is_small or _is_other(other):
            return bool(PYTHONS_ORDER[name](self._float, as_float(other)))
        return super()._compare(name, other)

    def __neg__(self) -> Any:
        return self._operate("mul", -1, False)


def computed_int(
    recorder: Any, function: Any, args: Sequence[Any], number: int
) -> LoopCount:
    """The integer ``number``, which a function gives of what is in the graph."""
    writer = recorder.writer
    args = tuple(
        [each if type(each) is int else writer.value_of(each) for each in args]
    )
    index = writer.write_index(function, args, number)
    raw = float(number)
    writer.write_plain(float, (writer.value_of(index),), raw, None)
    count = LoopCount(recorder, None, number, TracedArray.make(raw, None))
    count.index = index
    return count


def count_of(recorder: Any, index: Any) -> LoopCount:
    """What stands for the number of an iteration that goes on with any other."""
    return LoopCount(recorder, None, index.concrete, index.as_float())


def joined_count(recorder: Any, name: str, as_float: Any, given: Any) -> LoopCount:
    """What stands for one of two integers, which is this float in the graph."""
    made = LoopCount(recorder, name, int(raw_of(as_float)), as_float)
    counts = [*filter(is_counted, given)]
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
    return is_counted(item) or type(item) is FollowedInt


def _is_small(item: Any) -> bool:
    return is_counted(item) and item.is_small


def _index(item: Any) -> Any:
    """An integer, or one of the graph, if there is one."""
    own = item if type(item) is int else None
    return item.index if is_counted(item) else own
