"""What in-place operations overwrite, kept for the nodes that have saved it.

A node saves an array, not a copy of it. When a write comes to memory that some live
node has saved, the elements that it changes are copied first, and only these; a
backward pass puts them back into what it reads. No copy is made of what nobody saved.

>>> a = np.arange(4.0)
>>> row, before = a[1:3], Overwritten.of(a, slice(1, 3))
>>> a[1:3] = 9.0
>>> as_before(a, [before]), as_before(row, [before])
(array([0., 1., 2., 3.]), array([1., 2.]))

Between two versions that nodes have saved, ``Writes`` keeps each element once. A walk
back that meets many versions of one array goes through them one by one, in ``Memory``.
"""

import copy
import ctypes
import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.exceptions import TooHardError
from numpy.lib.array_utils import byte_bounds

from srcgrad.views import is_basic

Array = np.ndarray[Any, Any]
# How long to look whether two arrays have an element in common (`max_work` of
# `np.shares_memory`), before it counts as so: strided parts of a matrix take less.
ENOUGH_WORK = 100

# What a kept copy costs besides its bytes, about.
OVERHEAD = 200

# Writes through several Variables on one array are undone in the order of all.
_numbers = itertools.count()


class Overwritten(NamedTuple):
    """What a write to ``region[index]`` finds there; the region's bounds in memory.

    ``number`` grows from write to write.
    """

    region: Array
    index: Any
    before: Array
    low: int
    high: int
    number: int

    @classmethod
    def of(cls, array: Array, index: Any) -> "Overwritten":
        """Copy what a write to ``array[index]`` is going to change."""
        return cls.at(*region(array, index))

    @classmethod
    def at(cls, region: Array, index: Any) -> "Overwritten":
        """The same of a region, see ``region``."""
        if index is ...:
            before = region.copy(order="K")
        else:  # the index may be changed as well
            before, index = np.array(region[index]), copy.deepcopy(index)
        return cls(region, index, before, *byte_bounds(region), next(_numbers))

    def may_touch(self, array: Array) -> bool:
        """Whether an array may have changed by the write."""
        try:
            # NumPy's stubs know no number but -1 and 0.
            return np.shares_memory(array, self.region, ENOUGH_WORK)  # type: ignore[arg-type]
        except TooHardError:
            return True

    def covers(self, low: int, high: int) -> bool:
        """Whether all that lies between two addresses stands in the copy, in order."""
        flags = self.region.flags
        return (
            self.index is ...
            and self.low <= low
            and high <= self.high
            and (flags.c_contiguous or flags.f_contiguous)
        )


def region(array: Array, index: Any) -> tuple[Array, Any]:
    """What lies at a basic index, as a view of it; else the array, and the index."""
    if not is_basic(index):
        return array, index
    found = array[index]
    if not isinstance(found, np.ndarray):  # one element
        found = array[(*index, ...) if isinstance(index, tuple) else (index, ...)]
    return found, ...


class Writes:
    """The writes between two versions that nodes have saved.

    ``kept`` is what they have overwritten, the oldest first, ``count`` how many there
    were. ``is_refused``: by nodes on the tape, as one came under ``no_grad``, say.
    ``is_lost``: so much so that nothing was kept of it.
    """

    __slots__ = (
        *("__weakref__", "_bytes", "_regions", "_widest"),
        *("count", "is_lost", "is_refused", "kept"),
    )

    def __init__(self) -> None:
        self.kept: list[Overwritten] = []
        self.count = 0
        self.is_lost = self.is_refused = False
        self._bytes = 0
        # What was copied, by how it lies in memory; the widest without gaps.
        self._regions: dict[Any, Overwritten] = {}
        self._widest: Overwritten | None = None

    def note(self, overwritten: Overwritten | None, is_refused: bool = False) -> None:
        """Note a write, and what ``overwritten_by`` gave for it."""
        self.count += 1
        if is_refused or overwritten is None:
            self.is_refused = True
        if overwritten is None:
            self.is_lost = True
            return
        if self.kept and overwritten.number <= self.kept[-1].number:
            return
        self.kept.append(overwritten)
        self._bytes += overwritten.before.nbytes + OVERHEAD
        if overwritten.index is not ...:
            return
        self._regions[_as_it_lies(overwritten.region)] = overwritten
        low, high, widest = overwritten.low, overwritten.high, self._widest
        is_wider = widest is None or high - low > widest.high - widest.low
        if is_wider and overwritten.covers(low, high):
            self._widest = overwritten

    def overwritten_by(self, array: Array, index: Any) -> Overwritten:
        """What a write to ``array[index]`` is going to change, where that is not kept.

        After many small copies the whole array is copied, and then nothing more.
        """
        place, index = region(array, ... if self._bytes > array.nbytes else index)
        widest = self._widest
        if widest is not None and widest.covers(*byte_bounds(place)):
            return widest
        return self._regions.get(_as_it_lies(place)) or Overwritten.at(place, index)


def _as_it_lies(array: Array) -> Any:
    """The same for arrays of the same elements in the same memory."""
    return array.ctypes.data, array.shape, array.strides, array.itemsize


def as_before(array: Array, writes: Sequence[Overwritten]) -> Array:
    """An array as it was before some writes, the oldest first."""
    low, high = byte_bounds(array)
    found = [
        write
        for write in writes
        if write.low < high and low < write.high and write.may_touch(array)
    ]
    if not found:
        return array
    oldest = found[0]
    if oldest.covers(low, high):
        return _like(array, oldest.before.ravel("K").view(np.uint8), oldest.low)
    memory = Memory(low, high, found)
    memory.undo(found)
    return _like(array, memory.content, memory.low)


class Memory:
    """A copy of all bytes between some bounds, in which writes are undone.

    Arrays may lie in each other in any way.
    """

    __slots__ = ("content", "high", "low")

    def __init__(self, low: int, high: int, writes: Sequence[Overwritten]) -> None:
        self.low = min([low, *(write.low for write in writes)])
        self.high = max([high, *(write.high for write in writes)])
        self.content = bytearray(ctypes.string_at(self.low, self.high - self.low))

    def holds(self, array: Array, writes: Sequence[Overwritten]) -> bool:
        """Whether an array, and what was written to, lie between the bounds."""
        low, high = byte_bounds(array)
        return self.low <= min([low, *(write.low for write in writes)]) and (
            max([high, *(write.high for write in writes)]) <= self.high
        )

    def undo(self, writes: Sequence[Overwritten]) -> None:
        """Undo writes, the newest first."""
        for write in reversed(writes):
            _like(write.region, self.content, self.low)[write.index] = write.before

    def copy_of(self, array: Array) -> Array:
        """An array as it is here."""
        return np.array(_like(array, self.content, self.low))


def _like(array: Array, memory: Any, start: int) -> Array:
    """An array that lies in a copy of memory as another one in the original."""
    offset = array.ctypes.data - start
    found: Array = np.ndarray(array.shape, array.dtype, memory, offset, array.strides)
    return found
