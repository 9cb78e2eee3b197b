"""Lists, tuples and dicts that a loop goes along: their numbers as elements of arrays.

>>> rows = OwnRows([(3, 0.5), (1, 2.5)], None)
>>> rows.count, rows.at(1), rows.has(2), rows.are_in_graph()
(2, (1, 2.5), False, True)
>>> OwnRows([(3, 0.5), 1], None).are_in_graph()
False
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.protocols import raw_of
from srcgrad.tape.function import VOLATILE, has_edge
from srcgrad.tape.variable import Variable
from srcgrad.tracing.arrays.traced_array import TracedArray
from srcgrad.tracing.counts.loop_items import LoopItem, Within
from srcgrad.tracing.counts.rows import Rows
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
from srcgrad.tracing.environment.followed_tuples import FollowedTuple
from srcgrad.tracing.refusal import give_up
from srcgrad.unboxing import number_at

# It takes time to put arrays into one, and their gradients apart.
FEWEST_IN_STACKS = 16
# How the views of a dict are written.
VIEWS = {"items": "[*{}.items()]", "values": "[*{}.values()]", "keys": "[*{}]"}


class NumberRows(Rows):
    """A container of numbers; the arrays are what ``_in_graph`` gives for them."""

    def __init__(self, recorder: Any) -> None:
        self._recorder = recorder
        self._are_taken_apart = False

    def take_apart(self, names: Any) -> None:
        self._are_taken_apart = type(names) is tuple

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
        writer, value = self._recorder.writer, number.concrete
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
    """A list, a tuple or a range."""

    def __init__(self, items: Any, recorder: Any) -> None:
        super().__init__(recorder)
        self._items = items
        self.count = len(items)
        self._then: bytes | None = None

    def has(self, number: int) -> bool:
        return number < len(self._items)

    def at(self, number: int) -> Any:
        return self._items[number]

    @functools.cached_property
    def form(self) -> Any:
        found = columns_of(self._items, self._are_taken_apart)
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

    def __init__(self, view: Any, recorder: Any) -> None:
        super().__init__([*view], recorder)
        self._view, self._live = view, iter(view)
        # The item that Python gives last.
        self._last: Any = None

    def has(self, number: int) -> bool:
        try:
            self._last = next(self._live)
        except StopIteration:
            return False
        except RuntimeError:
            give_up("goes along a dict while it grows or shrinks")
        return True

    def at(self, number: int) -> Any:
        return self._last

    def are_as_before(self) -> bool:
        return written_out([*self._view]) == self._then


class InputRows(NumberRows):
    """Of the environment: the columns are inputs. ``kind`` is that of a view of it."""

    are_inputs = True

    def __init__(self, own: Any, recorder: Any, kind: str = "") -> None:
        super().__init__(recorder)
        self._own, self._kind = own, kind
        self._arrays: dict[int, Any] = {}

    @functools.cached_property
    def form(self) -> Any:
        own = self._own
        if not self._is_as_found():
            return None
        known = own.reads.columns
        key = id(own), self._kind, self._are_taken_apart
        if key not in known:  # it is the same as long as nobody changes it
            known[key] = columns_of(self._raw_items(), self._are_taken_apart), {}
        found, self._arrays = known[key]
        return found

    def _is_as_found(self) -> bool:
        """Whether it is what it was when the function began."""
        return True

    def _raw_items(self) -> Any:
        """The user's own."""
        item: Any = self._own.item
        return [*getattr(item, self._kind)()] if self._kind else item

    def _in_graph(self, array: "np.ndarray[Any, Any]") -> Any:
        if not self._arrays:
            self._take()
        return self._arrays[id(array)]

    def _note(self, number: int) -> None:
        opened(self.at(number))  # all of it is looked at

    def _take(self) -> None:
        """Make the arrays inputs of the graph."""
        own, reference = self._own, self._taken_apart()
        own.reads.require(are_alike(reference, self.form, self.count))
        arrays = arrays_in(self.form)
        for place, array in zip(reference.arrays(len(arrays)), arrays, strict=True):
            self._arrays[id(array)] = own.reads.take_array(place, array)
        if has_arrays(self.form):
            self._recorder.copies += arrays

    def _taken_apart(self) -> TakenApart:
        """Where the arrays are."""
        pattern = VIEWS[self._kind] if self._kind else "{}"
        return TakenApart(self._own.reference, pattern, self._are_taken_apart)


class TupleRows(InputRows):
    """A tuple of integers that change from call to call."""

    def __init__(self, own: FollowedTuple, recorder: Any) -> None:
        super().__init__(own, recorder)
        self.count = len(own.item)

    def take_apart(self, names: Any) -> None:
        pass  # there are no lists in it

    def _taken_apart(self) -> TakenApart:
        taken_apart: TakenApart = self._own.taken_apart
        return taken_apart

    def has(self, number: int) -> bool:
        return number < self.count

    def at(self, number: int) -> Any:
        return self._own.seen[number]

    def are_as_before(self) -> bool:
        return True


class FollowedRows(InputRows):
    """A list of the environment, or a view of a dict."""

    def __init__(self, own: Followed, recorder: Any, kind: str = "") -> None:
        super().__init__(own, recorder, kind)
        self.count = len(own.left) + len(own.added)
        self._moves = own.moves
        self._keys: list[Any] = []

    def has(self, number: int) -> bool:
        own, is_list = self._own, not self._kind
        if not is_list and own.moves != self._moves:
            give_up(f"goes along `{own.reference.text}` while it grows or shrinks")
        found = number < (len(own.left) + len(own.added) if is_list else self.count)
        if not (found or self._arrays):
            len(own)  # how far it goes depends on that
        return found

    def at(self, number: int) -> Any:
        own: Any = self._own
        if not self._kind:
            return own[number]
        self._keys = self._keys or [*own]
        key = self._keys[number]
        if self._kind == "keys":
            return key
        return own[key] if self._kind == "values" else (key, own[key])

    def _is_as_found(self) -> bool:
        own = self._own
        is_whole = own.left is own.item and not own.added
        return is_whole and not own.is_open and not self._is_changed()

    def _is_changed(self) -> bool:
        """Whether the function has changed it, or a list in it."""
        changed = self._own.reads.acting.changed
        if not changed:
            return False
        item: Any = self._own.item
        inner = item.values() if self._kind else item
        return any(id(each) in changed for each in (item, *inner))

    def are_as_before(self) -> bool:
        return not self._is_changed()


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
        self._recorder.copies.append(raw_of(self._made))

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
