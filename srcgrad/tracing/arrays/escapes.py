"""Escape analysis: whether a run left anything behind in what the function closes over.

>>> def counter():
...     calls = []
...     return lambda x: calls.append(x)
>>> count = counter()
>>> before = state_of(count)
>>> count(1)
>>> state_of(count) == before
False
"""

import functools
from collections import deque
from collections.abc import Iterator
from types import FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from srcgrad.protocols import ArrayProtocol
from srcgrad.tracing.arrays.functional_array import FunctionalArray

SEARCHED_TYPES = (list, tuple, set, deque)


def state_of(function: Any) -> list[list["_Same"]]:
    """What a function can reach through its closure, object and defaults.

    It compares equal to what there is later, if nothing of it has changed.
    """
    found: list[list[_Same]] = []
    seen: set[int] = set()
    waiting = [function]
    while waiting:
        item = waiting.pop()
        if id(item) not in seen:
            seen.add(id(item))
            held = list(_held_by(item))
            # Kept alive, so that no identity is used twice.
            found.append([_Same(each) for each in held])
            waiting += held
    return found


class _Same:
    """Equal to another of the same object."""

    __slots__ = ("item",)

    def __init__(self, item: Any) -> None:
        self.item = item

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Same):
            return False
        is_bytes = type(self.item) is bytes is type(other.item)
        return self.item == other.item if is_bytes else self.item is other.item

    __hash__ = None  # type: ignore[assignment]


def _held_by(item: Any) -> Iterator[Any]:
    """What an object holds directly, as far as a function may change it."""
    if isinstance(item, FunctionalArray):
        yield item.content
    elif type(item) is np.ndarray:
        yield item.tobytes()
    elif isinstance(item, (type, ModuleType, ArrayProtocol)):
        return
    elif isinstance(item, FunctionType):
        for cell in item.__closure__ or ():
            try:
                yield cell.cell_contents
            except ValueError:  # a name that has no value yet
                yield None
    elif isinstance(item, MethodType):
        yield from (item.__self__, item.__func__)
    elif isinstance(item, functools.partial):
        yield from (item.func, item.args, item.keywords)
    elif isinstance(item, dict):
        yield from item.keys()
        yield from item.values()
    elif isinstance(item, SEARCHED_TYPES):
        yield from item
    elif type(item).__module__.startswith("srcgrad."):
        # Our counters and traces are no business of the user's.
        yield getattr(item, "__wrapped__", None)
    elif hasattr(item, "__dict__"):
        yield from vars(item).values()
