"""Version counters: one for each storage, shared by all Variables that look at it.

A Function that saves an array notes the counter's value; every in-place operation
raises it; the engine compares the two before it uses what was saved.
"""

import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.errors import InplaceError, Where, describe


class Storage:
    """The version of one piece of memory, and who shares it."""

    __slots__ = ("sharers", "version", "writer")

    def __init__(self) -> None:
        self.version = 0
        self.writer: Where | None = None
        # Weak references to the Variables on this storage; made when a second one
        # comes (a view, a detached copy), so that most storages never pay for it.
        self.sharers: Sequence[weakref.ref[Any]] = ()

    def written(self, writer: Where | None) -> None:
        """Note an in-place operation."""
        self.version += 1
        self.writer = writer

    def join(self, *variables: Any) -> None:
        """Note Variables that share this storage."""
        live = [ref for ref in self.sharers if ref() is not None]
        known = {id(ref()) for ref in live}
        live += [weakref.ref(v) for v in variables if id(v) not in known]
        self.sharers = live

    def sharing(self) -> int:
        """How many live Variables share this storage."""
        return max(1, sum(ref() is not None for ref in self.sharers))


# A storage, the version of it that was saved, and the array that was saved.
Version = tuple[Storage, int, Any]


def is_view(out: Any, source: Any) -> bool:
    """Whether ``out`` is an ndarray on the memory of ``source``."""
    if type(out) is not np.ndarray or type(source) is not np.ndarray:
        return False
    if out is source:
        return True
    # NumPy collapses chains of views: the base is the array that owns the memory.
    base = out.base
    return base is not None and (base is source or base is source.base)


def check(versions: tuple[Version, ...], saver: Where | None, name: str) -> None:
    """Raise if something saved has been changed in place since.

    Raises
    ------
    InplaceError
        Naming both places, and both versions.
    """
    for storage, version, _ in versions:
        if storage.version != version:
            raise InplaceError(
                "one of the variables needed for gradient computation has been modified "
                f"by an inplace operation: {name} saved it at {describe(saver)}; it was "
                f"changed at {describe(storage.writer)} (version {storage.version}, "
                f"expected {version}). Use the out-of-place form there, or clone the "
                "Variable before it is changed"
            )
