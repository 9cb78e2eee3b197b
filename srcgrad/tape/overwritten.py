"""What in-place operations overwrite, kept for the nodes that have saved it.

A node saves an array, not a copy of it. When a write comes to memory that some live
node has saved, the elements that it changes are copied first, and only these; a
backward pass puts them back into what it reads. No copy is made of what nobody saved.

>>> a = np.arange(4.0)
>>> row, before = a[1:3], Overwritten.of(a, slice(1, 3))
>>> a[1:3] = 9.0
>>> as_before(a, [before]), as_before(row, [before])
(array([0., 1., 2., 3.]), array([1., 2.]))
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
# How long to look whether two arrays have an element in common, before it counts as so.
ENOUGH_WORK = 100

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
        if not is_basic(index):  # the index may be changed as well
            before, index = np.array(array[index]), copy.deepcopy(index)
            return cls(array, index, before, *byte_bounds(array), next(_numbers))
        region = array[index]
        if not isinstance(region, np.ndarray):  # one element
            whole = (*index, ...) if isinstance(index, tuple) else (index, ...)
            region = array[whole]
        before = region.copy(order="K")
        return cls(region, ..., before, *byte_bounds(region), next(_numbers))

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
    # All bytes between the bounds: arrays may lie in each other in any way.
    low = min(low, *(write.low for write in found))
    high = max(high, *(write.high for write in found))
    memory = bytearray(ctypes.string_at(low, high - low))
    for write in reversed(found):
        _like(write.region, memory, low)[write.index] = write.before
    return _like(array, memory, low)


def _like(array: Array, memory: Any, start: int) -> Array:
    """An array that lies in a copy of memory as another one in the original."""
    offset = array.ctypes.data - start
    found: Array = np.ndarray(array.shape, array.dtype, memory, offset, array.strides)
    return found
