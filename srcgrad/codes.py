"""What is known of a code object: by its identity, for as long as it lives.

Code objects are equal if they do the same, in whatever file; and to find that out takes
the longer, the longer the code is.

>>> @per_code
... def size(code):
...     return len(code.co_code)
>>> size(size.__code__) == len(size.__code__.co_code)
True
"""

import functools
import weakref
from collections.abc import Callable
from types import CodeType
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class PerCode(Generic[T]):
    """A table whose keys are code objects; a row goes with its code."""

    def __init__(self) -> None:
        self._rows: dict[int, tuple[weakref.ref[CodeType], T]] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def get(self, code: CodeType) -> T | None:
        """What was noted of a code object, or None."""
        row = self._rows.get(id(code))
        return None if row is None else row[1]

    def put(self, code: CodeType, value: T) -> T:
        """Note something of a code object, which must not keep that alive."""
        rows, key = self._rows, id(code)

        def forget(_: Any) -> None:
            rows.pop(key, None)

        rows[key] = weakref.ref(code, forget), value
        return value


def per_code(find: Callable[[Any], T]) -> Callable[[Any], T]:
    """Remember what a function finds out of a code object, or a function with one."""
    known: PerCode[T] = PerCode()

    @functools.wraps(find)
    def remembered(item: Any) -> T:
        code = getattr(item, "__code__", item)
        found = known.get(code)
        return known.put(code, find(item)) if found is None else found

    return remembered
