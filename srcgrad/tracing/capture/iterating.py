"""``Iterating``: the loops of a recorded run, as their iterations begin."""

import contextlib
import itertools
import math
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from srcgrad.protocols import ArrayProtocol, is_truth, raw_of
from srcgrad.tracing.arrays.traced_array import TracedArray
from srcgrad.tracing.capture.conditionals import Choosing
from srcgrad.tracing.capture.context import Context
from srcgrad.tracing.capture.list_building import ListBuilding
from srcgrad.tracing.capture.loop_heads import Look
from srcgrad.tracing.capture.loop_nodes import FEWEST
from srcgrad.tracing.capture.row_making import RowMaking
from srcgrad.tracing.counts.along import Along, along_arrays, length_along
from srcgrad.tracing.counts.loop_counts import counted, started
from srcgrad.tracing.counts.loop_indices import LoopIndex, Numbers
from srcgrad.tracing.counts.loop_items import LoopItem
from srcgrad.tracing.counts.of_lengths import selected_length
from srcgrad.tracing.counts.rows import Rows
from srcgrad.tracing.environment.changing_ints import length_of_range
from srcgrad.tracing.environment.symbolic import Symbolic, is_counted
from srcgrad.tracing.user_code.counters import ORDERS

# What has nothing to do with it.
WITHOUT_PARTS = frozenset({int, float, complex, bool, str, type(None), ModuleType})


class Iterating:
    """What the instrumented copy calls where a loop begins, or counts."""

    def __init__(
        self, context: Context, list_building: ListBuilding, choosing: Choosing
    ) -> None:
        self._context, self._recorder = context, context.recorder
        self._list_building, self._choosing = list_building, choosing
        self._rows = RowMaking(context)
        # The counters that begin as plain integers: before the next loop, and by loop.
        self._begun: set[str] = set()
        self._counters: dict[int, set[str]] = {}

    def _look(
        self, frame: Any, names: Any, live: Any, is_live: bool = False, **known: Any
    ) -> Look:
        """Who looks at a loop; ``is_live``: what it goes along is read later."""
        recorder = None if is_live else self._recorder
        writer, objects = self._recorder.writer, self._context.reads.twins
        known |= {"recorder": recorder, "objects": objects}
        return Look(writer, frame, names, live, **known)

    def rebinds(self) -> bool:
        """Whether names of a loop are to be bound to something else."""
        return bool(self._recorder.rebound)

    def binds(self, name: str) -> bool:
        """Whether this one is."""
        return name in self._recorder.rebound

    def bound(self, name: str) -> Any:
        """To what."""
        return self._recorder.rebound.pop(name)

    def again(self, name: str, item: Any) -> Any:
        """What a name is bound to from now on: ``item``, if that stays."""
        return self._recorder.rebound.pop(name, item)

    def iterations(
        self, name: str | None, items: Any, names: Any = None, live: Any = ()
    ) -> Any:
        """``for name in items``"""
        writer, items = (
            self._recorder.writer,
            self._list_building.for_function(iter, items),
        )
        self._recorder.lengths.close(items)
        if hasattr(type(items), "__next__"):
            self._context.changes()
        if names is None or type(items) is not range:
            return writer.iterations(name, items)
        look = Look(writer, sys._getframe(1), names, live, len(items))
        return writer.iterations(name, items, look)

    def along(
        self,
        name: Any,
        flags: tuple[bool, bool, bool],
        names: Any,
        live: Any,
        it: Any,
    ) -> Any:
        """``for name in it``, whatever that is; ``names`` is without those of the loop.

        The flags: whether the loop may end before, whether its names are read then,
        whether it is the same to the program which way it ends. The name is a tuple of
        such where the item is taken apart.
        """
        it = self._list_building.for_function(iter, it)
        frame = sys._getframe(1)
        rows = self._rows.of(it)
        if rows is not None and self._may_carry(flags, name, rows):
            known: Any = {
                "most": rows.count,
                "is_left": flags[0],
                "ends_alike": flags[2],
            }
            look = self._look(frame, names, live, **known)
            return self._items_of(name, look, rows)
        it = self._rows.as_python(it)
        items = (
            it if type(it) is Along else Along(zip, (it,), {}, self._recorder.lengths)
        )
        found = self._numbers_along(frame, flags, names, live, items)
        name = name if type(name) is str else None
        if found is None:
            return self.iterations(name, it)
        items.take()
        heads = self._recorder.writer.iterations(None, *found)
        return self._items(name, heads, items, items is not it)

    def _numbers_along(
        self,
        frame: Any,
        flags: tuple[bool, bool, bool],
        names: Any,
        live: Any,
        items: Along,
    ) -> tuple[Any, Look] | None:
        """The numbers of iterations, and who looks at them; None: there are none."""
        is_left, is_live, is_alike = flags
        lengths = self._recorder.lengths
        arrays = items.arrays
        counts = items.counts and is_live
        if not items.is_new:
            return None
        length: Any = None
        if not (counts and is_left):
            length = selected_length(self._recorder, arrays)
            if length is None and lengths and lengths.has(arrays):
                length = lengths.of(arrays[0])
        if length is not None:
            look = self._look(frame, names, live, is_live, count=length.as_float())
            look.length = length
            known = None if is_counted(length) else length
            numbers = Numbers(known, self._recorder, look.see, counts)
            look.number(numbers.end)
            _goes_along(look, numbers)
            return numbers.over(0, 1), look
        may_carry = self._recorder.run_loop is not None and not is_live
        if not (is_left or may_carry) or not (most := length_along(arrays)):
            return None
        known = {"most": most, "is_left": is_left, "ends_alike": is_alike}
        look = self._look(frame, names, live, is_live, **known)
        look.number(None)
        if counts:  # what it is in the end is computed
            return counted(self._recorder, None, range(most), 1), look
        numbers = Numbers(None, self._recorder, look.see)
        _goes_along(look, numbers)
        return numbers.along(range(most)), look

    def _may_carry(self, flags: tuple[bool, bool, bool], name: Any, rows: Rows) -> bool:
        """Whether a loop may be one node that goes along these."""
        is_live = flags[1]
        if is_live or rows.count < FEWEST:
            return False
        rows.take_apart(name)
        return rows.are_in_graph()

    def _items_of(self, name: Any, look: Look, rows: Rows) -> Iterator[Any]:
        """The items of such a loop: their numbers are elements of arrays in it."""
        node = look.node
        assert node is not None
        node.are_inputs = rows.are_inputs
        rows.prepare()
        look.number(None)
        numbers = Numbers(None, self._recorder, look.see)
        _goes_along(look, numbers)
        heads = self._recorder.writer.iterations(
            None, numbers.of_rows(rows, node.spoils), look
        )
        with contextlib.closing(heads):  # type: ignore[type-var]
            for number in heads:
                is_carried = numbers.carrying is not None
                item = rows.item(number) if is_carried else rows.at(number.concrete)
                self._name(name, item)
                yield item

    def _name(self, name: Any, item: Any) -> None:
        """Note what the user calls an item, or its parts."""
        if type(name) is tuple and type(item) in (tuple, list):
            for each, part in zip(name, item, strict=False):
                self._name(each, part)
        elif type(name) is str:
            part = item.index if type(item) is LoopItem else item
            self._recorder.writer.name(raw_of(part), name)

    def joined(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        """``zip(...)`` or ``enumerate(...)``, for a loop that may end before."""
        args = tuple(self._list_building.for_function(function, arg) for arg in args)
        made = along_arrays(self._recorder.lengths, function, args, kwargs)
        return self.in_rows(function, *args, **kwargs) if made is None else made

    def in_rows(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        """The same for a loop that may be one node, along lists."""
        made = self._rows.joined(function, args, kwargs)
        if made is not None:
            return made
        args = tuple(map(self._rows.as_python, args))
        return self._context.call(function, *args, **kwargs)

    def _items(
        self, name: str | None, heads: Iterator[Any], items: Along, is_one: bool
    ) -> Iterator[Any]:
        """What is there in each iteration, by its number."""
        with contextlib.closing(heads):  # type: ignore[type-var]
            for number in heads:
                found = items.item(self._context.item, number)
                if is_one:
                    (found,) = found
                if name is not None:
                    self._recorder.name(name, found)
                yield found

    def times(
        self,
        name: str,
        flags: tuple[bool, bool, bool, bool],
        names: Any,
        live: Any,
        function: Any,
        *args: Any,
    ) -> Any:
        """``for name in range(...)``; ``names`` is without that name.

        The flags: whether the name is read, whether the loop may end before its range
        does, whether the name is read when it has ended; whether it is the same to the
        program which way it ends.
        """
        is_read, is_left, is_live, is_alike = flags
        length = length_of_range(args) if function is range else None
        if is_read and any(isinstance(step, Symbolic) for step in args[2:]):
            length = None
        count = None if length is None else length.as_float()
        if function is range and any(
            is_counted(arg) or type(arg) is LoopIndex for arg in args
        ):
            count = _steps_between(args)
        frame, writer = sys._getframe(1), self._recorder.writer
        if isinstance(count, ArrayProtocol):
            look = self._look(frame, names, live, is_live, count=count)
            look.length = _span(args)
            if not is_read:
                return writer.iterations(None, itertools.repeat(None), look)
            start: Any = args[0] if len(args) > 1 else 0
            step = args[2] if len(args) > 2 else 1
            if is_left and is_live and type(start) is int:
                endless = itertools.count(start, step)
                return writer.iterations(
                    name, counted(self._recorder, name, endless, step), look
                )
            numbers = Numbers(length, self._recorder, look.see, is_live)
            look.number(numbers.end)
            _goes_along(look, numbers)
            return writer.iterations(name, numbers.over(start, step), look)
        items = self._context.call(function, *args)
        is_plain = is_read and not is_left
        may_carry = self._recorder.run_loop is not None and not is_live
        if type(items) is not range or (
            is_plain and not (may_carry and len(items) >= FEWEST)
        ):
            return self.iterations(name, items)
        known = {"most": len(items), "is_left": is_left, "ends_alike": is_alike}
        look = self._look(frame, names, live, is_live, **known)
        if not is_read or not items:
            return writer.iterations(name, items, look)
        look.number(None)
        if is_live:  # what it is in the end is computed
            along = counted(self._recorder, name, items, items.step)
            return writer.iterations(name, along, look)
        numbers = Numbers(None, self._recorder, look.see)
        _goes_along(look, numbers, is_plain)
        return writer.iterations(name, numbers.along(items), look)

    def heads(self, names: Any, live: Any, counters: Any) -> Any:
        """``while``, for as long as its test does not stop it."""
        writer = self._recorder.writer
        look = self._look(sys._getframe(1), names, live, counters=counters)
        self._counters[look.key], self._begun = self._begun, set()
        return writer.iterations(None, itertools.repeat(None), look)

    def leaves(self, test: Any) -> bool:
        """``if test: break``, with which the body of a loop ends."""
        writer = self._recorder.writer
        test = self._choosing.asked(test)
        before, found = writer.count(), bool(test)
        # It must be this very test that is written down.
        writer.leaves(is_truth(test) and writer.count() == before + 1)
        return found

    def counting(self, name: str, value: Any) -> Any:
        """An integer that counts the iterations of the ``while`` to come."""
        if type(value) is not int:
            return value
        self._begun.add(name)
        return started(self._recorder, name, value)

    def stepping(self, name: str, value: Any, tested: tuple[str, ...]) -> Any:
        """A float that the loop to come changes by itself: a number of the graph.

        It stays Python's where nothing that its tests read has to do with the graph.
        """
        frame = sys._getframe(1)
        known, code = frame.f_locals, frame.f_code
        own = {*code.co_varnames, *code.co_cellvars, *code.co_freevars} & {*tested}
        # What is not there yet is computed in the loop, of anything.
        are_plain = all(type(known.get(each, self)) in WITHOUT_PARTS for each in own)
        if type(value) is not float or are_plain or not math.isfinite(value):
            return value
        self._recorder.writer.write_plain(float, (value,), value, None)
        number = TracedArray.make(value, None)
        self._recorder.name(name, number)
        return number

    def limit(self, limit: Any, order: str, left: Any, right: Any) -> Any:
        """``left < right``, of which one counts the iterations of a loop."""
        counter, bound = (left, right) if limit[0] > 0 else (right, left)
        if is_counted(counter):
            if isinstance(bound, Symbolic) or not self._begins_here(counter):
                return ORDERS[order](left, right)
            left, right = (s.concrete if s is counter else s for s in (left, right))
        self._recorder.writer.limit(limit, order, left, right)
        return ORDERS[order](left, right)

    def _begins_here(self, counter: Any) -> bool:
        """Whether it is the same in this iteration at any call: it began as an int."""
        look = self._recorder.writer.look_now()
        return look is not None and counter.name in self._counters.get(look.key, ())


def _goes_along(look: Look, numbers: Numbers, is_plain: bool = False) -> None:
    """Note what a loop goes along that may be one node.

    ``is_plain``: the numbers are Python's, where they are not Values.
    """
    if look.node is not None:
        look.node.numbers, look.node.is_plain = numbers, is_plain


def _span(args: Any) -> Any:
    """How long ``range(*args)`` is as a difference, if its steps are ones."""
    if len(args) == 1:
        return args[0]
    start, stop, *step = args
    return stop - start if type(start) is int and step in ([], [1]) else None


def _steps_between(args: Any) -> Any:
    """How long a range is with numbers of loops around, as a number of the graph.

    Less than zero, and it is empty.
    """
    start, stop, step = (0, *args, 1) if len(args) == 1 else (*args, 1)[:3]
    span = stop - start if step == 1 else start - stop if step == -1 else None
    return span.as_float() if isinstance(span, Symbolic) else None
