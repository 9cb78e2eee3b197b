"""Version counters: one for each storage, shared by all Variables that look at it.

A Function that saves an array notes the counter's value; every in-place operation
raises it; the engine compares the two before it uses what was saved.
"""

import threading
import weakref
import zlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from srcgrad.errors import InplaceError, Where, describe

# Views of one array may be made in several threads, and none may be forgotten.
_joining = threading.Lock()

# What in-place operations, NumPy's and those of a user's Function, must not do.
LEAF = "a leaf Variable that requires grad has been used in an in-place operation."
SHARED = (
    "in-place operations can be only used on variables that don't share storage with "
    "any other variables, but detected that there are %d objects sharing it"
)


class Storage:
    """The version of one piece of memory, and who shares it."""

    __slots__ = ("_sharers", "version", "writer")

    def __init__(self) -> None:
        self.version = 0
        self.writer: Where | None = None
        # Weak references to the Variables on this storage, by identity; made when a
        # second one comes (a view, a detached copy): most storages never pay for it.
        self._sharers: dict[int, weakref.ref[Any]] | None = None

    def written(self, writer: Where | None) -> None:
        """Note an in-place operation."""
        self.version += 1
        self.writer = writer

    def entry(self, raw: Any) -> "Version":
        """What a node notes of an array on this storage that it saves."""
        return self, self.version, raw

    def join(self, *variables: Any) -> None:
        """Note Variables that share this storage."""
        with _joining:
            sharers = self._sharers
            if sharers is None:
                sharers = self._sharers = {}
            for variable in variables:
                known = sharers.get(id(variable))
                if known is None or known() is not variable:
                    sharers[id(variable)] = weakref.ref(variable)
            if len(sharers) > 64 and len(sharers).bit_count() == 1:
                # Now and then, so that many views cost no more than a few each.
                self._sharers = {
                    k: ref for k, ref in sharers.items() if ref() is not None
                }

    def live(self) -> list[Any]:
        """The live Variables on this storage, if there was ever a second one."""
        # A copy: another thread may add to it meanwhile.
        refs = tuple((self._sharers or {}).values())
        return [variable for ref in refs if (variable := ref()) is not None]

    def sharing(self) -> int:
        """How many live Variables share this storage."""
        return max(1, len(self.live()))


class Fingerprint:
    """Stands for a ``Storage`` whose version is the content of an array.

    It finds what goes around the counter: writes through ``.data``, the original
    ndarray or another Variable on it. It reads the whole array, so only
    ``detect_anomaly`` asks for it.
    """

    __slots__ = ("_array", "writer")

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self._array = array
        self.writer: Where | None = None

    @property
    def version(self) -> int:
        """A checksum of the content."""
        return zlib.crc32(np.ascontiguousarray(self._array).data)


# A storage, the version of it that was saved, and the array that was saved.
Version = tuple[Storage | Fingerprint, int, Any]


def fingerprints(saved: Any) -> tuple[Version, ...]:
    """The contents of all arrays that a node saves, as they are now."""
    found: tuple[Version, ...] = ()
    for item in saved:
        if isinstance(item, (tuple, list)):
            found += fingerprints(item)
        elif type(item) is np.ndarray:
            content = Fingerprint(item)
            found += ((content, content.version, None),)
    return found


def entries(variables: Iterable[Any]) -> tuple[Version, ...]:
    """What a node notes of some Variables whose arrays it saves."""
    return tuple(
        [
            (variable.storage or variable.own_storage()).entry(variable.value)
            for variable in variables
            if type(variable.value) is np.ndarray
        ]
    )


def share(source: Any, result: Any) -> None:
    """Let a Variable that looks at another one's memory have the same version."""
    result.storage = source.own_storage()
    result.storage.join(source, result)


def is_view(out: Any, source: Any) -> bool:
    """Whether ``out`` is an ndarray on the memory of ``source``."""
    if type(out) is not np.ndarray or type(source) is not np.ndarray:
        return False
    if out is source:
        return True
    return out.base is not None and memory_of(out) is memory_of(source)


def memory_of(array: Any) -> Any:
    """What owns an array's memory.

    NumPy collapses chains of views, but not those that ``as_strided`` makes.
    """
    while (base := getattr(array, "base", None)) is not None:
        array = base
    return array


def join_views(sources: Iterable[Any], results: Iterable[Any]) -> None:
    """Let results in the memory of Variables, or of each other, have one version."""
    known = list(sources)
    for result in results:
        for other in known:
            if other is not result and is_view(result.value, other.value):
                share(other, result)
                break
        known.append(result)


MODIFIED = (
    "one of the variables needed for gradient computation has been modified by an "
    "inplace operation"
)


def check(versions: Iterable[Version], saver: Where | None, name: str) -> None:
    """Raise if something saved has been changed in place since.

    Raises
    ------
    InplaceError
        Naming both places, and both versions.
    """
    changed = [
        (storage, version)
        for storage, version, _ in versions
        if storage.version != version
    ]
    for storage, version in changed:
        if isinstance(storage, Storage):
            raise InplaceError(
                f"{MODIFIED}: {name} saved it at {describe(saver)}; it was changed at "
                f"{describe(storage.writer)} (version {storage.version}, expected "
                f"{version}). Use the out-of-place form there, or clone the Variable "
                "before it is changed"
            )
    if changed:
        raise InplaceError(
            f"{MODIFIED}: {name} saved it at {describe(saver)}; it was changed since "
            "by a write that goes around the Variable (through .data, the ndarray that "
            "it was made of, or another Variable on that). Write through the Variable, "
            "or copy the array first"
        )
