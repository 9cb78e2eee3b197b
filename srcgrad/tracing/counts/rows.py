"""``Rows``: what a loop goes along that is no array, item by item.

In an iteration that is recorded as a function, the numbers in an item are elements of
arrays (``environment.columns``); else they are what they are. What is changed meanwhile
shows what Python shows: then the loop is recorded iteration by iteration.

>>> rows = Zipped((OwnRows([3, 1, 4], None), OwnRows(range(5), None)))
>>> rows.count, rows.at(2), rows.has(3)
(3, (4, 2), False)
>>> Numbered(OwnRows([3, 1, 4], None), 1).at(0), Reversed(rows).at(0)
((1, 3), (4, 2))
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcgrad.tape.function import VOLATILE, has_edge
from srcgrad.tape.variable import Variable
from srcgrad.tracing.arrays.traced_array import TracedArray
from srcgrad.tracing.counts.loop_items import LoopItem, Within
from srcgrad.tracing.environment.columns import (
    Column,
    TakenApart,
    are_alike,
    arrays_in,
    columns_of,
    has_arrays,
    written_out,
)
from srcgrad.tracing.environment.containers import Followed, opened
from srcgrad.tracing.refusal import give_up
from srcgrad.unboxing import number_at

# It takes time to put arrays into one, and their gradients apart.
FEWEST_IN_STACKS = 16
# How the views of a dict are written.
VIEWS = {"items": "[*{}.items()]", "values": "[*{}.values()]", "keys": "[*{}]"}


class Rows:
    """What has ``count`` items, when the loop begins.

    ``are_inputs``: if it is no loop of the graph, each item is an input of its own.
    """

    count: int
    are_inputs = False

    def has(self, number: int) -> bool:
        """Whether there is an item, now that the loop asks for it."""
        raise NotImplementedError

    def at(self, number: int) -> Any:
        """The item, as Python gets it."""
        raise NotImplementedError

    def are_in_graph(self) -> bool:
        """Whether the numbers in the items can be elements of arrays."""
        raise NotImplementedError

    def prepare(self) -> None:
        """The loop is about to begin."""

    def item(self, number: Any) -> Any:
        """The item of an iteration that is recorded as a function: a ``LoopIndex``."""
        raise NotImplementedError

    def are_as_before(self) -> bool:
        """Whether nobody has changed what is in the items, or how many there are."""
        raise NotImplementedError


# ----- What holds numbers -----


class NumberRows(Rows):
    """A container of numbers; the arrays are what ``_in_graph`` gives for them."""

    def __init__(self, recorder: Any) -> None:
        self._recorder = recorder

    @functools.cached_property
    def form(self) -> Any:
        """The columns of the items, as these are when the loop begins, or None."""
        raise NotImplementedError

    def are_in_graph(self) -> bool:
        return self.form is not None

    def item(self, number: Any) -> Any:
        return self._stands_for(self.form, number)

    def _stands_for(self, form: Any, number: Any) -> Any:
        """What stands for a part of an item."""
        if not isinstance(form, Column):
            return form.kind([self._stands_for(part, number) for part in form.parts])
        if form.kind is np.ndarray:
            return _row(self._recorder, self._in_graph(form.array), number)
        writer, value = self._recorder.writer, number.value
        column = () if form.place is None else (form.place,)
        raw = form.array.item(value, *column)
        array = writer.symbols(self._in_graph(form.array))
        given = array, writer.symbols(number.as_index()), *column
        if form.kind is float:
            writer.write_plain(number_at, given, raw, None)
            return TracedArray.make(raw, None)
        index = writer.write_index(number_at, given, raw)
        within = Within(form.least, form.most)
        note = functools.partial(self._note, value)
        at = number.at if isinstance(number, LoopItem) else number
        return LoopItem(raw, within, at, index, note)

    def _note(self, number: int) -> None:
        """Python depends on a number in an item."""

    def _in_graph(self, array: "np.ndarray[Any, Any]") -> Any:
        return array  # a constant


class OwnRows(NumberRows):
    """A list, a tuple or a range; ``may_be_lists``: the items are taken apart."""

    def __init__(self, items: Any, recorder: Any, may_be_lists: bool = False) -> None:
        super().__init__(recorder)
        self._items, self._may_be_lists = items, may_be_lists
        self.count = len(items)
        self._then: bytes | None = None

    def has(self, number: int) -> bool:
        return number < len(self._items)

    def at(self, number: int) -> Any:
        return self._items[number]

    @functools.cached_property
    def form(self) -> Any:
        found = columns_of(self._items, self._may_be_lists)
        if found is None or has_arrays(found):
            return None
        self._then = written_out(self._items)
        return found

    def are_in_graph(self) -> bool:
        return type(self._items) is range or self.form is not None

    def item(self, number: Any) -> Any:
        if type(self._items) is range:
            return number * self._items.step + self._items.start
        return super().item(number)

    def are_as_before(self) -> bool:
        return type(self._items) is not list or written_out(self._items) == self._then


class OwnDict(OwnRows):
    """A view of a dict."""

    def __init__(self, view: Any, recorder: Any, may_be_lists: bool = False) -> None:
        super().__init__([*view], recorder, may_be_lists)
        self._view, self._live = view, iter(view)
        # The item that Python gives last.
        self._last: Any = None

    def has(self, number: int) -> bool:
        try:
            self._last = next(self._live)
        except StopIteration:
            return False
        except RuntimeError:
            give_up("goes along a dict while it changes")
        return True

    def at(self, number: int) -> Any:
        return self._last

    def are_as_before(self) -> bool:
        return written_out([*self._view]) == self._then


class FollowedRows(NumberRows):
    """A list of the environment, or a view of a dict: the columns are inputs."""

    are_inputs = True

    def __init__(
        self, own: Followed, recorder: Any, kind: str = "", may_be_lists: bool = False
    ) -> None:
        super().__init__(recorder)
        self._own, self._kind, self._may_be_lists = own, kind, may_be_lists
        self.count = len(own.left) + len(own.added)
        self._moves = own.moves
        self._arrays: dict[int, Any] = {}
        self._has_arrays = False
        self._keys: list[Any] = []

    def has(self, number: int) -> bool:
        if self._kind and self._own.moves != self._moves:
            give_up(
                f"goes along `{self._own.reference.text}` while it grows or shrinks"
            )
        own, is_list = self._own, not self._kind
        return number < (len(own.left) + len(own.added) if is_list else self.count)

    def at(self, number: int) -> Any:
        own: Any = self._own
        if not self._kind:
            return own[number]
        self._keys = self._keys or [*own]
        key = self._keys[number]
        if self._kind == "keys":
            return key
        return own[key] if self._kind == "values" else (key, own[key])

    @functools.cached_property
    def form(self) -> Any:
        own = self._own
        if own.is_open or own.left is not own.item or own.added or self._is_changed():
            return None
        found = columns_of(self._raw_items(), self._may_be_lists)
        if found is not None and has_arrays(found):
            self._has_arrays = True
            return None if self._is_written_into() else found
        return found

    def _raw_items(self) -> Any:
        """The user's own."""
        item: Any = self._own.item
        return [*getattr(item, self._kind)()] if self._kind else item

    def _is_changed(self) -> bool:
        """Whether the function has changed it, or a list in it."""
        changed = self._own.reads.acting.changed
        if not changed:
            return False
        item: Any = self._own.item
        inner = item.values() if self._kind else item
        return any(id(each) in changed for each in (item, *inner))

    def _is_written_into(self) -> bool:
        """Whether an array in it may have been: then it was found somewhere, too."""
        return bool(self._own.reads.effects)

    def are_as_before(self) -> bool:
        is_changed = self._has_arrays and self._is_written_into()
        return not (is_changed or self._is_changed())

    def _in_graph(self, array: "np.ndarray[Any, Any]") -> Any:
        if not self._arrays:
            self._take()
        return self._arrays[id(array)]

    def _note(self, number: int) -> None:
        opened(self.at(number))  # all of it is looked at

    def _take(self) -> None:
        """Make the arrays inputs of the graph."""
        own = self._own
        pattern = VIEWS[self._kind] if self._kind else "{}"
        reference = TakenApart(own.reference, pattern, self._may_be_lists)
        own.reads.require(are_alike(reference, self.form, self.count))
        arrays = arrays_in(self.form)
        for place, array in zip(reference.arrays(len(arrays)), arrays, strict=True):
            self._arrays[id(array)] = own.reads.take_array(place, array)


class Stack(Rows):
    """A list of arrays of one shape, on the tape or not: ``stack`` makes one."""

    are_inputs = True

    def __init__(
        self, items: Any, recorder: Any, stack: Callable[[list[Any]], Any]
    ) -> None:
        self._items, self._recorder = items, recorder
        self._make, self._made = stack, None
        self._then = [*items]
        self.count = len(items)

    def has(self, number: int) -> bool:
        return number < len(self._items)

    def at(self, number: int) -> Any:
        return self._items[number]

    def are_in_graph(self) -> bool:
        first, *others = self._then
        like = _kind_of(first) if self.count >= FEWEST_IN_STACKS else None
        return like is not None and all(_kind_of(each) == like for each in others)

    def prepare(self) -> None:
        self._made = self._make(self._then)
        self._recorder.note_stand_ins(self._then)

    def item(self, number: Any) -> Any:
        return _row(self._recorder, self._made, number)

    def are_as_before(self) -> bool:
        pairs = zip(self._items, self._then, strict=False)
        is_same = all(one is other for one, other in pairs)
        return is_same and len(self._items) == self.count


def _row(recorder: Any, array: Any, number: Any) -> Any:
    """One of the arrays that are in another one, instead of that which is in a list."""
    found = array[number.as_index()]
    recorder.note_stand_ins([found])
    return found


def _kind_of(item: Any) -> Any:
    """What is the same of arrays that may be in one; None of what may not."""
    if type(item) not in (Variable, TracedArray) or item.edge is VOLATILE:
        return None
    raw = item.value
    if type(raw) is not np.ndarray or not raw.ndim or not raw.flags.c_contiguous:
        return None
    return type(item), raw.shape, raw.dtype, has_edge(item)


class ArrayRows(Rows):
    """An array, beside others; ``get`` gives its items."""

    def __init__(self, array: Any, get: Callable[[Any, Any], Any]) -> None:
        self._array, self._get = array, get
        self.count = len(array)

    def has(self, number: int) -> bool:
        return number < self.count

    def at(self, number: int) -> Any:
        return self._get(self._array, number)

    def are_in_graph(self) -> bool:
        return True

    def item(self, number: Any) -> Any:
        return self._get(self._array, number)

    def are_as_before(self) -> bool:
        return True  # what is written into it is seen


# ----- What is made of others -----


class Zipped(Rows):
    """``zip(...)``"""

    def __init__(self, parts: Sequence[Rows], is_strict: bool = False) -> None:
        self._parts, self._is_strict = parts, is_strict
        self.count = min(part.count for part in parts)
        self.are_inputs = any(part.are_inputs for part in parts)

    def has(self, number: int) -> bool:
        found = []
        for part in self._parts:
            found.append(part.has(number))
            if not found[-1] and not self._is_strict:
                return False
        if self._is_strict and any(found) and not all(found):
            give_up("goes along sequences of different lengths")
        return found[-1]

    def at(self, number: int) -> Any:
        return tuple([part.at(number) for part in self._parts])

    def are_in_graph(self) -> bool:
        return all(part.are_in_graph() for part in self._parts)

    def prepare(self) -> None:
        for part in self._parts:
            part.prepare()

    def item(self, number: Any) -> Any:
        return tuple([part.item(number) for part in self._parts])

    def are_as_before(self) -> bool:
        return all(part.are_as_before() for part in self._parts)


class OfRows(Rows):
    """What has the items of others in another way."""

    def __init__(self, rows: Rows) -> None:
        self._rows, self.count = rows, rows.count
        self.are_inputs = rows.are_inputs

    def has(self, number: int) -> bool:
        return self._rows.has(number)

    def are_in_graph(self) -> bool:
        return self._rows.are_in_graph()

    def prepare(self) -> None:
        self._rows.prepare()

    def are_as_before(self) -> bool:
        return self._rows.are_as_before()


class Numbered(OfRows):
    """``enumerate(rows, start)``"""

    def __init__(self, rows: Rows, start: int) -> None:
        super().__init__(rows)
        self._start = start

    def at(self, number: int) -> Any:
        return number + self._start, self._rows.at(number)

    def item(self, number: Any) -> Any:
        return number + self._start, self._rows.item(number)


class Reversed(OfRows):
    """``reversed(rows)``"""

    def has(self, number: int) -> bool:
        last = self.count - 1
        return number <= last and self._rows.has(last - number)

    def at(self, number: int) -> Any:
        return self._rows.at(self.count - 1 - number)

    def item(self, number: Any) -> Any:
        return self._rows.item(self.count - 1 - number)


class Picked(Rows):
    """Tuples of items of some sources: ``places`` has their numbers."""

    def __init__(self, places: Rows, sources: Sequence[Rows]) -> None:
        self._places, self._sources = places, sources
        self.count = places.count
        self.are_inputs = any(source.are_inputs for source in sources)

    def has(self, number: int) -> bool:
        if not self.are_as_before():
            give_up("changes what it goes along the combinations of")
        return number < self.count

    def at(self, number: int) -> Any:
        return self._taken(self._places.at(number), "at")

    def are_in_graph(self) -> bool:
        return self._places.are_in_graph() and all(
            source.are_in_graph() for source in self._sources
        )

    def prepare(self) -> None:
        for source in {*self._sources}:
            source.prepare()

    def item(self, number: Any) -> Any:
        return self._taken(self._places.item(number), "item")

    def _taken(self, numbers: Any, way: str) -> Any:
        pairs = zip(self._sources, numbers, strict=True)
        return tuple([getattr(source, way)(number) for source, number in pairs])

    def are_as_before(self) -> bool:
        return all(source.are_as_before() for source in self._sources)
