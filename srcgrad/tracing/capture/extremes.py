"""``written_out``: Python's ``min``, ``max``, ``sum`` and ``sorted`` of numbers.

They are written in C, and go from number to number. Of a few, each comparison is an
``if`` (``Choosing.extreme``); of more, it is one in a loop, as one would write it.

>>> from srcgrad.tracing.arrays.traced_array import TracedArray
>>> few_numbers(max, (TracedArray.make(2.0, None), 0.0), {}) is None
False
>>> few_numbers(max, ([1.0, 2.0],), {}) is None
True
>>> largest([1.0, 3.0, 2.0]), smallest_by(1.0, [-3.0, 2.0], abs)
(3.0, 1.0)
"""

import itertools
from collections import deque
from collections.abc import Mapping, Sequence
from types import GeneratorType
from typing import Any

import numpy as np

from srcgrad.protocols import ArrayProtocol, raw_of

# What the one that is found so far is compared with, as in Python: it stays if equal.
ORDER = {min: "Lt", max: "Gt"}
# Of more there are too many ways.
MOST_WRITTEN_OUT = 8
WRITTEN_OUT = frozenset({min, max, sorted, sum})
WAY = {"reverse"}
ANY_ARRAY = ArrayProtocol, np.ndarray


def few_numbers(
    function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Sequence[Any] | None:
    """What is compared, where it is a few numbers, and one of them is in the graph."""
    if kwargs or function not in ORDER:
        return None
    items = args[0] if len(args) == 1 and type(args[0]) in (list, tuple) else args
    return (
        items if 2 <= len(items) <= MOST_WRITTEN_OUT and _are_numbers(items) else None
    )


def written_out(
    function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[Any, tuple[Any, ...], dict[str, Any]] | None:
    """A function that does the same in Python, and what it is called with."""
    if function is sorted:
        is_plain = type(kwargs.get("reverse", False)) is bool and kwargs.keys() <= WAY
        row = args[0] if len(args) == 1 and is_plain else None
        if _is_row(row) or (type(row) in (list, tuple) and _are_numpys(row)):
            return in_order, (row,), {**kwargs}
        return None
    items = args[0] if len(args) == 1 else args
    if function is sum:
        is_plain = len(args) == 1 and not kwargs and _is_row(items)
        return (total_of, (items,), {}) if is_plain else None
    if isinstance(items, (*ANY_ARRAY, list, tuple, range)) and _are_several(items):
        names = {*kwargs} - {"default"}  # which is for nothing at all
        if names == {"key"} and kwargs["key"] is not None:
            # The key may change a list that is gone along.
            is_array = isinstance(items, ANY_ARRAY)
            rest = items[1:] if is_array else itertools.islice(items, 1, None)
            return BY_KEY[function], (items[0], rest, kwargs["key"]), {}
        if not names and (_is_row(items) or _are_numbers(items)):
            return PYTHONS_EXTREMES[function], (items,), {}
    return None


def taken(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments, with a list for a generator, of which nothing else is left."""
    is_other = len(args) == 1 and type(args[0]) in (GeneratorType, deque)
    return (list(args[0]),) if is_other else args


def largest(items: Any) -> Any:
    """``max(items)``"""
    best = items[0]
    for item in items:
        if item > best:
            best = item
    return best


def smallest(items: Any) -> Any:
    """``min(items)``"""
    best = items[0]
    for item in items:
        if item < best:
            best = item
    return best


def total_of(items: Any) -> Any:
    """``sum(items)``"""
    total = 0
    for item in items:
        total = total + item
    return total


def largest_by(first: Any, rest: Any, key: Any) -> Any:
    """``max([first, *rest], key=key)``"""
    best = first
    most = key(best)
    for item in rest:
        found = key(item)
        if found > most:
            best, most = item, found
    return best


def smallest_by(first: Any, rest: Any, key: Any) -> Any:
    """``min([first, *rest], key=key)``"""
    best = first
    least = key(best)
    for item in rest:
        found = key(item)
        if found < least:
            best, least = item, found
    return best


def in_order(items: Any, reverse: bool = False) -> Any:
    """``sorted(items, reverse=reverse)``"""
    row = np.array(items)
    if np.any(np.isnan(row)):
        return sorted(iter(items), reverse=reverse)
    if reverse:  # what is equal stays in order
        return list(np.sort(row[::-1], kind="stable")[::-1])
    return list(np.sort(row, kind="stable"))


PYTHONS_EXTREMES = {max: largest, min: smallest}
BY_KEY = {max: largest_by, min: smallest_by}


def _is_row(item: Any) -> bool:
    if not isinstance(item, ArrayProtocol):
        return False
    raw = raw_of(item)
    is_row = isinstance(raw, np.ndarray) and raw.ndim == 1 and raw.dtype == float
    return is_row and len(raw) > 1


def _are_several(items: Any) -> bool:
    raw: Any = raw_of(items)  # nobody sees how many there are
    is_row = not isinstance(items, ANY_ARRAY) or np.ndim(raw) > 0
    return is_row and len(raw) > 1


def _are_numbers(items: Any) -> bool:
    """Whether all are numbers of Python's kinds, and one of them is in the graph."""
    return all(map(_is_number, items)) and any(
        isinstance(item, ArrayProtocol) for item in items
    )


def _are_numpys(items: Any) -> bool:
    """Whether all are NumPy's floats in the graph."""
    raws = (item.value for item in items if isinstance(item, ArrayProtocol))
    return len(items) > 1 and [*map(type, raws)] == [np.float64] * len(items)


def _is_number(item: Any) -> bool:
    raw = item.value if isinstance(item, ArrayProtocol) else item
    return type(raw) in (float, int, np.float64)
