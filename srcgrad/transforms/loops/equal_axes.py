"""``Axes``: which axes of arrays are as long as each other, whatever is given.

Two axes are of one kind if the difference between their lengths is the same at any
call: that of ``x[1:]`` is always one less than that of ``x``. What steps tell of that
is in ``shape_rules``.

>>> x = Value((5, 2), np.dtype(float))
>>> axes = Axes()
>>> tail, column = axes.indexed(x, slice(1, -1))
>>> axes.root(tail) == (x, 0), axes.is_fixed(column)
(True, False)
>>> axes.fix([x])
>>> axes.is_fixed(tail)
True
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from srcgrad.selections import is_mask
from srcgrad.steps import Value

# An axis of an array, by its number; of a number, the number itself.
Axis = tuple[Any, int]

# What counts for an axis of a mask: how much that selects.
COUNT = -1

# An axis whose length never changes.
FIXED_AXIS: Axis = (None, 0)


class Axes:
    """The kinds of axes.

    ``needs`` has axes with how long they have to be for an index to select as much as
    it did.
    """

    def __init__(self) -> None:
        self._first: dict[Axis, Axis] = {}
        self.needs: list[tuple[Axis, int]] = []

    def root(self, axis: Axis) -> Axis:
        """One axis for all of a kind."""
        first = self._first
        while axis in first:
            parent = first[axis]
            if parent in first:
                first[axis] = first[parent]
            axis = parent
        return axis

    def join(self, one: Axis, other: Axis) -> None:
        """Take note that the difference between two lengths is always the same."""
        one, other = self.root(one), self.root(other)
        if one != other:
            if other == FIXED_AXIS:
                one, other = other, one
            self._first[other] = one

    def fix(self, values: Iterable[Any]) -> None:
        """Take note that some arrays are of the shapes that they had."""
        for value in values:
            if type(value) is Value:
                for axis in range(len(value.shape)):
                    self.join(FIXED_AXIS, (value, axis))

    def is_fixed(self, axis: Axis) -> bool:
        """Whether an axis is of the length that it had."""
        return self.root(axis) == FIXED_AXIS

    def go_on(self, value: Any, firsts: Iterable[Any]) -> bool:
        """Whether an axis after the first is of a kind with the first of others."""
        roots = {self.root((each, 0)) for each in firsts} - {FIXED_AXIS}
        further = axes_of(value)[1:] if type(value) is Value else []
        return not roots.isdisjoint(map(self.root, further))

    def sizes(self, values: Iterable[Value]) -> dict[Axis, set[int]]:
        """How long the axes of arrays are, by their kinds."""
        found: dict[Axis, set[int]] = {}
        for value in dict.fromkeys(values):
            for axis, length in enumerate(value.shape):
                found.setdefault(self.root((value, axis)), set()).add(length)
        return found

    def alike(self, one: Any, other: Any) -> None:
        """Take note that two arrays have the same shape."""
        shapes = shape_of(one), shape_of(other)
        if None in shapes or len(shapes[0] or ()) != len(shapes[1] or ()):
            self.fix((one, other))
            return
        for first, second in zip(axes_of(one), axes_of(other), strict=True):
            self.join(first, second)

    def broadcast(self, item: Any, wide: Sequence[Axis], shape: Sequence[int]) -> bool:
        """Take note that an item is broadcast to some axes, and what these are then."""
        own = shape_of(item)
        lead = len(shape) - len(own) if own is not None else -1
        if own is None or lead < 0:
            return False
        for axis, length in enumerate(own):
            mine = (item, axis) if type(item) is Value else FIXED_AXIS
            if length == shape[lead + axis]:
                self.join(mine, wide[lead + axis])
            elif length == 1:
                self.join(FIXED_AXIS, mine)
            else:
                return False
        return True

    def indexed(self, value: Value, index: Any) -> list[Axis] | None:
        """The axes of a part of an array; None if it is not known which part it is."""
        if is_mask(index):
            return self._selected(value, index)
        parts = index if isinstance(index, tuple) else (index,)
        taken = sum(part is not None and part is not ... for part in parts)
        left = len(value.shape) - taken
        if left < 0 or sum(part is ... for part in parts) > 1:
            return None
        if not any(part is ... for part in parts):
            parts = (*parts, ...)
        found: list[Axis] = []
        axis = 0
        for part in parts:
            if part is None:
                found.append(FIXED_AXIS)
            elif part is ...:
                found += [(value, axis + k) for k in range(left)]
                axis += left
            elif isinstance(part, slice):
                found.append(self._part((value, axis), part))
                axis += 1
            elif is_number(part):
                axis += 1
            else:
                return None
        return found

    def _selected(self, value: Value, mask: Value) -> list[Axis] | None:
        """What a mask selects: as much along one axis as it counts, and the others."""
        rank = len(mask.shape)
        if mask.shape != value.shape[:rank]:
            return None
        for axis in range(rank):
            self.join((mask, axis), (value, axis))
        return [(mask, COUNT), *axes_of(value)[rank:]]

    def _part(self, axis: Axis, part: slice) -> Axis:
        """What a slice makes of an axis."""
        start, stop, step = part.start, part.stop, part.step
        if (start, stop, step) == (None, None, -1):
            return axis
        length = axis[0].shape[axis[1]]
        plain = all(type(each) in (int, type(None)) for each in (start, stop))
        if not plain or step not in (None, 1) or length < 2:
            self.join(FIXED_AXIS, axis)
            return FIXED_AXIS
        start = start or 0
        is_from_end = start < 0
        is_to_end = stop is None or stop < 0
        far = max(-start if is_from_end else start, abs(stop or 0))
        if far > length or (is_from_end and not is_to_end):
            self.join(FIXED_AXIS, axis)
            return FIXED_AXIS
        if is_to_end and not is_from_end:
            return axis
        self.needs.append((axis, far))
        return FIXED_AXIS


# ----- What is known of shapes -----


def shape_of(item: Any) -> tuple[int, ...] | None:
    """The shape of an operand; None of what is no array or number."""
    if isinstance(item, (Value, np.ndarray)):
        shape: tuple[int, ...] = item.shape
        return shape
    return () if isinstance(item, (bool, int, float, complex, np.generic)) else None


def is_number(part: Any) -> bool:
    """Whether a part of an index selects by a number."""
    if type(part) is Value:
        is_one = not part.shape and part.dtype.kind in "iu"
        return is_one and part.kind in ("scalar", "float")
    return isinstance(part, (int, np.integer)) and not isinstance(part, bool)


def axes_of(item: Any) -> list[Axis]:
    """The axes of an operand; those of an array that is there are what they are."""
    if type(item) is Value:
        return [(item, axis) for axis in range(len(item.shape))]
    return [FIXED_AXIS] * np.ndim(item)
