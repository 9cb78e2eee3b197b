"""``Along``: what ``zip`` and ``enumerate`` make of arrays whose lengths are open.

A loop along it is one by the number of the iteration, ``for i in range(len(x))``, and
takes its items by that. Who goes along it in another way closes the lengths.

>>> import numpy as np
>>> x, y = np.arange(2.0), np.arange(3.0)
>>> found = along(Lengths(id), zip, (x, y), {})
>>> print(found)
None
>>> pairs = Along(zip, (x, Along(enumerate, (y, 1), {}, None)), {}, None)
>>> pairs.item(lambda array, k: array[k], 1), pairs.counts
((np.float64(1.0), (2, np.float64(1.0))), True)
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from srcgrad.protocols import ArrayProtocol
from srcgrad.tracing.counts.lengths import Lengths


class Along:
    """``function(*args)`` of arrays, and of others like it; gone along but once."""

    def __init__(self, function: Any, args: Any, kwargs: Any, lengths: Any) -> None:
        self._function, self._args, self._kwargs = function, args, kwargs
        self._lengths = lengths
        self._items: Iterator[Any] | None = None

    @property
    def _parts(self) -> Sequence[Any]:
        parts: Sequence[Any] = self._args
        return parts[:1] if self._function is enumerate else parts

    @property
    def arrays(self) -> list[Any]:
        """All arrays that it goes along."""
        parts = self._parts
        nested = [p.arrays if isinstance(p, Along) else [p] for p in parts]
        return [array for arrays in nested for array in arrays]

    @property
    def counts(self) -> bool:
        """Whether it gives the number of an iteration."""
        inner = (part for part in self._parts if isinstance(part, Along))
        return self._function is enumerate or any(part.counts for part in inner)

    @property
    def is_new(self) -> bool:
        """Whether nobody has gone along it."""
        inner = (part for part in self._parts if isinstance(part, Along))
        return self._items is None and all(part.is_new for part in inner)

    def take(self) -> None:
        """Somebody goes along it, to its end or not: there is nothing more for others.

        Nobody can tell how much there is.
        """
        self._items = iter(())
        for part in self._parts:
            if isinstance(part, Along):
                part.take()

    def item(self, item: Callable[[Any, Any], Any], number: Any) -> Any:
        """What it gives in an iteration, by number."""
        found = tuple(
            part.item(item, number) if isinstance(part, Along) else item(part, number)
            for part in self._parts
        )
        if self._function is zip:
            return found
        start = self._args[1] if len(self._args) > 1 else 0
        return number + start, found[0]

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self._items is None:
            self._lengths.close_in(self.arrays)
            self._items = iter(self._function(*self._args, **self._kwargs))
        return next(self._items)


def along(lengths: Lengths, function: Any, args: Any, kwargs: Any) -> Along | None:
    """What a call makes of arrays whose lengths are open, and are one; else None."""
    made = _made(lengths, function, args, kwargs)
    if made is None or lengths.selected_by(made.arrays) is not None:
        return made
    if not lengths.has(made.arrays):
        return None
    return made if lengths.are_one(made.arrays) else None


def along_arrays(lengths: Lengths, function: Any, args: Any, kwargs: Any) -> Any:
    """The same of arrays that have the length that they have."""
    made = _made(lengths, function, args, kwargs)
    if made is None or lengths.selected_by(made.arrays) is not None:
        return made
    if not length_along(made.arrays):
        return None
    are_one = len({len(each) for each in made.arrays}) == 1
    return made if are_one or not kwargs else None  # `strict`


def length_along(arrays: Sequence[Any]) -> int:
    """How far a loop goes along some arrays; 0 where something is none, or is empty."""
    if not all(isinstance(each, (ArrayProtocol, np.ndarray)) for each in arrays):
        return 0
    return min(len(each) if np.ndim(each) else 0 for each in arrays)


def _made(lengths: Lengths, function: Any, args: Any, kwargs: Any) -> Along | None:
    is_zip, is_enumerate = function is zip, function is enumerate
    if not args or not (is_zip or is_enumerate):
        return None
    is_plain = all(type(start) is int for start in args[1:]) and not kwargs
    if is_enumerate and not is_plain:
        return None
    made = Along(function, args, kwargs, lengths)
    return made if made.is_new else None
