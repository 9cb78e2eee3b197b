"""Keys under which equal values that differ are told apart.

``1``, ``1.0`` and ``True`` are equal in Python; so are ``range(0, 3, 2)`` and
``range(0, 4, 2)``, an hour and sixty minutes, ``0j`` and ``-0j``. A program can tell
each from the other, and NaN is the same NaN again.

>>> exact(range(0, 3, 2)) == exact(range(0, 4, 2)), exact(1) == exact(True)
(False, False)
>>> exact(slice(None, float("nan"))) == exact(slice(None, float("nan")))
True
"""

import datetime
import decimal
import enum
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np


class Same:
    """One object, which is equal to itself alone, whatever its class says."""

    __slots__ = ("item",)

    def __init__(self, item: Any) -> None:
        self.item = item

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.item is self.item

    def __hash__(self) -> int:
        return id(self.item)


def exact(item: Any) -> Hashable:
    """A key for a value: its type, and what tells it from others of that type.

    It can be hashed if the value can, and all that is in it.
    """
    kind = type(item)
    if (key := EXACT_KEYS.get(kind)) is not None:
        return kind, key(item)
    if isinstance(item, (type, enum.Enum)):
        return kind, Same(item)
    if isinstance(item, np.generic) and not isinstance(item, np.void):
        return kind, _dtype(item.dtype), item.tobytes()
    if isinstance(item, np.dtype):
        return kind, _dtype(item)
    return kind, item


def _dtype(dtype: np.dtype[Any]) -> Hashable:
    """Neither alignment, nor metadata, nor the name of a type count for equality."""
    base = () if dtype.base is dtype else (_dtype(dtype.base),)
    names = dtype.names or ()
    fields = tuple(_dtype(dtype.fields[name][0]) for name in names if dtype.fields)
    own = dtype, dtype.char, dtype.isalignedstruct, repr(dtype.metadata)
    return (*own, *base, *fields)


def _each(items: Any) -> Hashable:
    return tuple(map(exact, items))


def _any_order(items: Any) -> Hashable:
    return frozenset(map(exact, items))


EXACT_KEYS: dict[type, Callable[[Any], Hashable]] = {
    float: repr,
    complex: repr,
    decimal.Decimal: repr,
    datetime.datetime: repr,  # `fold` does not count
    datetime.time: repr,
    tuple: _each,
    frozenset: _any_order,
    range: lambda item: (item.start, item.stop, item.step),
    # Not hashable before Python 3.12.
    slice: lambda item: _each((item.start, item.stop, item.step)),
}
