"""``Collected``: a list that a loop of any count fills, as an array of that length.

    states = []
    for v in x:
        h = np.tanh(W @ h + v)
        states.append(h)
    return np.array(states)

A list that grows makes each count a trace of its own. Here its items are put into an
array of the length of the loop, too, which is what becomes of the list, if nobody sees
the list itself (``filled_lists``). Where the length is not known before, as in
``while error > tol``, that array is made in the end (``stacked_list``). Where it cannot
be, it is the list that it was.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from srcgrad.protocols import ArrayProtocol, raw_of
from srcgrad.selections import FEWEST
from srcgrad.stacking import stacked_list
from srcgrad.tracing.arrays.functional_array import FunctionalArray, contents
from srcgrad.tracing.counts.of_lengths import of_length
from srcgrad.tracing.environment.symbolic import Symbolic
from srcgrad.tracing.refusal import InFull
from srcgrad.updates import assign

# What makes an array of a list, whatever it does then.
ARRAYS: frozenset[Any] = frozenset({np.array, np.asarray, np.stack})
OF_ARRAYS: frozenset[Any] = frozenset(
    {np.sum, np.mean, np.std, np.var, np.max, np.min, np.cumsum, np.dot}
)

FLOAT = np.dtype(float)


class ListItem(NamedTuple):
    """A list in a list: itself, and as a row of the array.

    There is no list where a loop has run that was recorded as one node.
    """

    items: "Collected | None"
    row: Any


class Collected:
    """``items`` are those of the list; ``add`` and ``array`` are told what becomes.

    ``is_read``: its last item is; ``may_end``: before the range of its loop does.
    """

    def __init__(
        self, recorder: Any, items: list[Any], is_read: bool, may_end: bool
    ) -> None:
        self.items, self.is_read, self._may_end = items, is_read, may_end
        self._recorder = recorder
        self._look: Any = None
        self._array: Any = None
        # The arrays among the items, and how often these had been written into.
        self._versions: list[tuple[Any, Any]] = []
        self.is_plain = False
        # How many there were before the loop, if that may end at any time.
        self._before: int | None = None
        self._start = 0
        # Whether items came of a node of any count.
        self._is_any = False
        # What is read for the last item, if that is something else.
        self._last: Any = None
        # Loops know the arrays that an iteration has made by their numbers, and lists.
        self.number = FunctionalArray(None).number

    def __iter__(self) -> Iterator[Any]:
        return iter(self.as_list())

    @property
    def is_of_any_count(self) -> bool:
        """Whether it may have any number of items, and no length is known before."""
        return self._before is not None and not self.is_plain

    @property
    def are_numpys(self) -> bool:
        """Whether the items are what an array gives: NumPy's floats, or its rows."""
        raws = [raw_of(contents(item)) for item in self.items]
        return all(type(raw) is np.float64 or np.ndim(raw) for raw in raws)

    def row_of_floats(self) -> Any:
        """The array of a list of nothing but Python's floats; None of any other."""
        are_pythons = all(type(raw_of(contents(item))) is float for item in self.items)
        return self.array() if are_pythons and self.is_of_any_count else None

    def last(self) -> Any:
        """``items[-1]``"""
        return as_item(self.items[-1] if self._last is None else self._last)

    def add(self, item: Any) -> None:
        """``list.append(item)``"""
        self._recorder.writer.fills_list(self)
        self._last = None
        item = ListItem(item, item.array()) if type(item) is Collected else item
        if self.is_plain or not self._put(row_of(item)):
            self._make_plain()
            item = as_item(item)
        self.items.append(item)

    def as_list(self) -> list[Any]:
        """The list itself, for somebody to see: its loop is as long as it was.

        Raises
        ------
        InFull
            If the loop has run as a node of any count.
        """
        if self._is_any:
            raise InFull
        self._recorder.writer.sees_list(self)
        self._make_plain()
        return self.items

    def _make_plain(self) -> None:
        self.is_plain = True
        if self._look is not None:
            self._look.see()
        self._array = None
        self.items[:] = [*map(as_item, self.items)]

    # ----- In a loop that is recorded as one node -----

    @property
    def state(self) -> Any:
        """What each iteration goes on with: the array so far."""
        return self._array

    def go_on_with(self, array: Any) -> None:
        """Have another array in its place."""
        self._array = array

    def with_items(self, items: Sequence[Any], last: Any, is_any: bool) -> None:
        """Have these in the place of the last one, and after it.

        ``last`` is the last of them for who reads it alone; ``is_any``: there may be
        any number of them.
        """
        self.items[-1:], self._last = items, last
        self._is_any = self._is_any or is_any
        if not self.is_plain and self._versions:
            rows = map(row_of, items)
            self._versions[-1:] = [(item, _version(item)) for item in rows]

    def array(self) -> Any:
        """The items as an array of their own; None if that cannot be."""
        array = self._array
        if any(_version(item) != seen for item, seen in self._versions):
            return None
        if self._before is not None:
            return self._gathered(self._before)
        if array is None or len(self.items) != array.shape[0]:
            return None
        return np.copy(array)

    def _gathered(self, before: int) -> Any:
        """The items of a loop that has ended somewhere, put together."""
        is_over = self._recorder.writer.look_now() is not self._look
        if not is_over or len(self.items) - before < FEWEST:
            return None
        items = tuple([contents(row_of(item)) for item in self.items])
        if len({np.shape(raw_of(item)) for item in items}) > 1:
            return None
        if not self._are_made_in_loop(items[before:]):
            return None
        return stacked_list(items, self._look.key)

    def _are_made_in_loop(self, items: Sequence[Any]) -> bool:
        """Whether each iteration makes its own item: or else it is told how many are.

        The first one may have been there before.
        """
        writer = self._recorder.writer
        values = list(map(writer.value_at, items))
        steps = writer.steps_from(self._start)
        made = {value for step in steps for value in step.results}
        known = [known for region in writer.loops for known in region.known_loops()]
        made.update(value for each in known for value in each.values)
        return made.issuperset(values[1:]) and len({*values}) == len(values)

    def _put(self, item: Any) -> bool:
        """Put an item into the array, if it has a place there."""
        look = self._recorder.writer.look_now()
        if self._before is not None or self._is_open(look):
            return look is self._look and self._keep(item)
        if self._array is None:
            if look is None or not self._begins(look, item):
                return False
        elif look is not self._look:
            return False
        if not _is_float(item) or np.shape(raw_of(item)) != self._array.shape[1:]:
            return False
        self._versions.append((item, _version(item)))
        place = look.place(len(self.items))
        self._array = assign(self._array, place, contents(item))
        return True

    def _is_open(self, look: Any) -> bool:
        """Whether the first item comes in a loop that may end at any time."""
        if look is None or self._look is not None or not self._may_end:
            return False
        self._look, self._before = look, len(self.items)
        self._start = self._recorder.writer.count()
        if self.is_read:
            look.follow(self)
        return all(map(self._keep, map(row_of, self.items)))

    def _keep(self, item: Any) -> bool:
        """Note an item of such a loop, if an array may be made of it."""
        self._versions.append((item, _version(item)))
        return _is_float(item)

    def _begins(self, look: Any, item: Any) -> bool:
        """Make the array, when the first item of a loop comes."""
        rows = [*map(row_of, self.items), item]
        if not all(map(_is_float, rows)):
            return False
        if len({np.shape(raw_of(each)) for each in rows}) > 1:
            return False
        if not isinstance(look.length, Symbolic):
            return False
        length: Any = look.length
        if self.items:
            length = length + len(self.items)
        made = (length, *self._shape_of(item))
        array = of_length(self._recorder, np.zeros, (made,), {}, self._recorder.refuse)
        if array is None:
            return False
        self._look = look
        for number, each in enumerate(map(row_of, self.items)):
            array = assign(array, number, contents(each))
            self._versions.append((each, _version(each)))
        self._array = array
        return True

    def _shape_of(self, item: Any) -> tuple[Any, ...]:
        """The shape of an item, with a length that is open as what stands for it."""
        shape = np.shape(raw_of(item))
        length = self._recorder.lengths.of(contents(item)) if shape else None
        return shape if length is None else (length, *shape[1:])


def row_of(item: Any) -> Any:
    """An item; of a list in the list the row of the array, None if it cannot be one."""
    return item.row if type(item) is ListItem else item


def as_item(item: Any) -> Any:
    """A list in the list as a list; or an item.

    Raises
    ------
    InFull
        If there is none.
    """
    if type(item) is not ListItem:
        return item
    if item.items is None:
        raise InFull
    return item.items.as_list()


def _version(item: Any) -> Any:
    """How often an array was written into; None of a number."""
    if not isinstance(raw_of(item), np.ndarray):
        return None
    changes = item.changes if isinstance(item, FunctionalArray) else 0
    return changes, item.own_storage().version


def _is_float(item: Any) -> bool:
    """Whether an item is a float, or an array of floats in the graph."""
    if isinstance(item, FunctionalArray) and type(item) is not FunctionalArray:
        return False  # a part of an array
    item = contents(item)
    if isinstance(item, ArrayProtocol):
        return bool(item.dtype == FLOAT)
    return type(item) in (float, np.float64)
