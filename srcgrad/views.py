"""Which indices give views, and how arrays lie in memory."""

from types import EllipsisType, NoneType
from typing import Any

import numpy as np


def is_basic(index: Any) -> bool:
    """Whether an index selects a view, each element once (NumPy's *basic* indexing).

    It may be that of a graph: a Value that is an integer, other than an array of one,
    is as good as the integer.

    >>> is_basic((np.int64(1), None, slice(2), ...)), is_basic(True)
    (True, False)
    >>> is_basic(np.array(1))  # a copy
    False
    """
    parts = index if isinstance(index, tuple) else (index,)
    return all(map(_is_basic_part, parts))


# Most indices that are basic are of these types.
BASIC_TYPES = frozenset({int, slice, NoneType, EllipsisType})


def _is_basic_part(part: Any) -> bool:
    if type(part) in BASIC_TYPES or isinstance(part, np.integer):
        return True
    if isinstance(part, int):
        return not isinstance(part, bool)
    is_number = getattr(part, "kind", None) in ("scalar", "float")
    return is_number and part.dtype.kind in "iu"


def repeats_nothing(index: Any) -> bool:
    """Whether the form of an index tells that it selects each element at most once.

    >>> repeats_nothing(np.array([True, False])), repeats_nothing(np.array([1, 0]))
    (True, False)
    """
    parts = index if isinstance(index, tuple) else (index,)
    return all(_is_basic_part(part) or _is_mask(part) for part in parts)


def picks_elements(index: Any, shape: Any) -> bool:
    """Whether an index is a tuple of integers, or arrays of them, one for each axis.

    >>> picks_elements((np.array([1, 0]), 2), (3, 4)), picks_elements((2,), (3, 4))
    (True, False)
    """
    if not isinstance(index, tuple) or len(index) != len(shape):
        return False
    return all(map(_is_of_integers, index))


def _is_of_integers(part: Any) -> bool:
    if type(part) is int:
        return True
    dtype: Any = getattr(part, "dtype", None)
    return dtype is not None and dtype.kind in "iu" and np.can_cast(dtype, np.intp)


def _is_mask(part: Any) -> bool:
    return getattr(part, "dtype", None) == np.dtype(bool)


def layout_of(array: Any) -> Any:
    """How an array lies in memory: row by row, column by column, or by its strides.

    >>> a = np.zeros((2, 3))
    >>> layout_of(a), layout_of(a.T), layout_of(a[:, :2])
    ('C', 'F', (24, 8))
    """
    flags = array.flags
    return "C" if flags.c_contiguous else "F" if flags.fnc else array.strides
