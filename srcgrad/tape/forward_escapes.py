"""What a user's ``forward`` lets escape: into globals, closures, objects.

``backward`` may read it there, and a second derivative would not know of it.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from srcgrad.protocols import ArrayProtocol

# Of larger containers only the size is looked at, and not inside of what is deeper: it
# is done at each call of a user's Function.
MOST_PARTS_OF_CONTAINER, DEPTH = 256, 3
OWN_MODULES = ("builtins", "numpy", "scipy", "srcgrad")
PLAIN_CONTENTS = (np.ndarray, np.generic, str, bytes, int, float, complex, type(None))


class ForwardEscapes:
    """The environment of a ``forward``, as it is before that runs."""

    def __init__(self, forward: Any) -> None:
        self._forward = forward if isinstance(forward, FunctionType) else None
        self._before = dict(self._named()) if self._forward else {}

    def kept(self, arrays: Sequence[Any]) -> str | None:
        """The name under which ``forward`` keeps numbers, or one of some arrays."""
        for path, item in self._named():
            is_new = self._before.get(path, self) is not item
            if is_new and (len in path or any(True for _ in numbers_in(item))):
                return f"`{path[0]}`"
            if isinstance(item, np.ndarray) and any(
                np.may_share_memory(item, array) for array in arrays
            ):
                return f"`{path[0]}`"
        return None

    def _named(self) -> Iterator[tuple[tuple[Any, ...], Any]]:
        function = self._forward
        if function is None:
            return
        names = function.__code__.co_names
        own = zip(function.__code__.co_freevars, closure_of(function), strict=True)
        space = function.__globals__
        for name, item in (*((n, space[n]) for n in names if n in space), *own):
            yield (name,), item
            yield from _held_by(item, (name,))


def _held_by(item: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """What something holds that may be stored into, by where it is."""
    if len(path) > DEPTH or isinstance(item, PLAIN_CONTENTS):
        return
    parts = _parts_of(item)
    if len(parts) > MOST_PARTS_OF_CONTAINER:
        yield (*path, len, len(parts)), None
        return
    for key, part in parts:
        yield (*path, key), part
        yield from _held_by(part, (*path, key))


def _parts_of(item: Any) -> list[tuple[Any, Any]]:
    if isinstance(item, dict):
        return [*item.items()]
    if isinstance(item, (list, tuple, deque)):
        return [*enumerate(item)]
    kind = item if isinstance(item, type) else type(item)
    is_librarys = kind.__module__.partition(".")[0] in OWN_MODULES
    if is_librarys or isinstance(item, (ModuleType, FunctionType)):
        return []
    return [*getattr(item, "__dict__", {}).items()]


def closure_of(function: FunctionType) -> list[Any]:
    """What a function closes over; None where that is empty still."""
    found = []
    for cell in function.__closure__ or ():
        try:
            found.append(cell.cell_contents)
        except ValueError:
            found.append(None)
    return found


def numbers_in(item: Any, seen: set[int] | None = None) -> Iterator[Any]:
    """The real and complex numbers, and arrays of these, that something leads to."""
    seen = set() if seen is None else seen
    if id(item) in seen:
        return
    seen.add(id(item))
    if isinstance(item, ArrayProtocol):
        if getattr(item, "edge", None) is None and is_real(item.value):
            yield item
    elif is_real(item):
        yield item
    else:
        for part in _held_in(item):
            yield from numbers_in(part, seen)


def _held_in(item: Any) -> Iterable[Any]:
    if isinstance(item, (tuple, list, set, frozenset, deque)):
        return item
    if isinstance(item, dict):
        return item.values()
    if isinstance(item, FunctionType):
        return [*closure_of(item), item.__defaults__]
    is_code = isinstance(item, (type, ModuleType))
    return () if is_code else getattr(item, "__dict__", {}).values()


def is_real(item: Any) -> bool:
    """Whether it is a number, or an array of numbers, that may have a derivative."""
    if isinstance(item, (np.ndarray, np.generic)):
        return item.dtype.kind in "fcO"
    return isinstance(item, (float, complex))
