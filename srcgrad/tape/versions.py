"""Versions: of each storage one at a time, shared by all Variables that look at it.

A Function that saves an array notes the storage's version; every in-place operation
puts another one in its place, and leaves a note in the old one. The engine looks
for that note before it uses what was saved.
"""

import sys
import threading
import weakref
import zlib
from collections.abc import Iterable
from typing import Any, NoReturn

import numpy as np

from srcgrad.errors import InplaceError, Where, describe, explained
from srcgrad.tape.overwritten import Overwritten, Writes

# Views of one array may be made in several threads, and none may be forgotten.
_joining = threading.Lock()

# What in-place operations, NumPy's and those of a user's Function, must not do.
LEAF = "a leaf Variable that requires grad has been used in an in-place operation"
SHARED = (
    "in-place operations can be only used on variables that don't share storage with "
    "any other variables, but detected that there are %d objects sharing it"
)
MODIFIED = (
    "one of the variables needed for gradient computation has been modified by an "
    "inplace operation"
)


# A version: empty while it is the newest one. Else the writes that ended it, the
# version that came then, and maybe the memory as it was (see ``saved``). Nobody holds
# an old one but the nodes that need it and the versions before it: with them go the
# copies. A list, as nothing else that has an identity is made as fast.
Moment = list[Any]


class Storage:
    """The version of one piece of memory, and who shares it.

    ``last`` tells how often it was written into, and where at last; ``is_replayed``,
    whether a compiled call may need it where the tape does not, to run again.
    """

    __slots__ = ("_sharers", "_writes", "is_replayed", "last", "version")

    def __init__(self) -> None:
        self.version: Moment = []
        self.is_replayed = False
        self.last: tuple[int, Where | None] = (0, None)
        # The writes that led to this version, for as long as one before it is needed.
        self._writes: weakref.ref[Writes] | None = None
        # Weak references to the Variables on this storage, by identity; made when a
        # second one comes (a view, a detached copy): most storages never pay for it.
        self._sharers: dict[int, weakref.ref[Any]] | None = None

    def is_saved(self) -> bool:
        """Whether a node, or an earlier version that a node saved, needs this one."""
        return sys.getrefcount(self.version) > UNSAVED

    def overwritten_by(self, array: Any, index: Any) -> Overwritten:
        """What a write to ``array[index]`` is going to change."""
        writes = self._open()
        return (Writes() if writes is None else writes).overwritten_by(array, index)

    def written(
        self,
        writer: Where | None,
        overwritten: Overwritten | None = None,
        is_refused: bool = False,
    ) -> None:
        """Note an in-place operation, and what it has overwritten, if that is kept.

        ``is_refused``: that is for compiled calls alone.
        """
        self.last = self.last[0] + 1, writer
        if not self.is_saved():
            self._writes = None
            return
        writes = self._open()
        if writes is None:
            writes = Writes()
            before, self.version = self.version, []
            before += (writes, self.version)
            self._writes = weakref.ref(writes)
        writes.note(overwritten, is_refused)

    def _open(self) -> Writes | None:
        """The writes that led to this version, if no node has saved it since."""
        writes = None if self._writes is None else self._writes()
        # Beside the storage, the version before it knows it.
        if writes is None or sys.getrefcount(self.version) > UNSAVED + 1:
            return None
        return writes

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


# How many know the version of a storage that no node has saved.
_UNUSED = Storage()
UNSAVED = sys.getrefcount(_UNUSED.version)


class Fingerprint:
    """Stands for a ``Storage`` whose version is the content of an array.

    It finds what goes around the versions: writes through ``.data``, the original
    ndarray or another Variable on it. It reads the whole array, so only
    ``detect_anomaly`` asks for it.
    """

    __slots__ = ()

    def entry(self, raw: np.ndarray[Any, Any]) -> "Version":
        """What a node notes of an array that it saves: a checksum."""
        return self, [zlib.crc32(np.ascontiguousarray(raw).data)], raw

    def check(self, version: Moment, raw: Any, saver: Where | None, name: str) -> None:
        """Raise if the array has another content now."""
        if self.entry(raw)[1] != version:
            raise explained(
                InplaceError(MODIFIED),
                f"{name} saved it at {describe(saver)}",
                "it was changed since by a write that goes around the Variable: "
                "through .data, the ndarray that it was made of, or another Variable "
                "on that",
                "write through the Variable, or copy the array first",
            )


# A storage, the version of it that was saved, and the array that was saved.
Version = tuple[Storage | Fingerprint, Moment, Any]


def fingerprints(saved: Any) -> tuple[Version, ...]:
    """The contents of all arrays that a node saves, as they are now."""
    found: tuple[Version, ...] = ()
    for item in saved:
        if isinstance(item, (tuple, list)):
            found += fingerprints(item)
        elif type(item) is np.ndarray:
            found += (Fingerprint().entry(item),)
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
    base = out.base
    if base is None or base is source or base is source.base:
        return base is not None
    return memory_of(base) is memory_of(source)


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


def check(versions: Iterable[Version], saver: Where | None, name: str) -> None:
    """Raise if something saved has been changed in place since.

    Raises
    ------
    InplaceError
        Naming both places, and both versions.
    """
    for storage, version, _ in versions:
        if version and isinstance(storage, Storage):
            refuse_write(storage, version, saver, name)
    for storage, version, raw in versions:
        if isinstance(storage, Fingerprint):
            storage.check(version, raw, saver, name)


def refuse_write(
    storage: Storage, version: Moment, saver: Where | None, name: str
) -> NoReturn:
    """Raise for a write that came after a version was saved."""
    now, writer = storage.last
    count = sum(writes.count for writes in since(version))
    raise explained(
        InplaceError(MODIFIED),
        f"{name} saved it at {describe(saver)}",
        f"it was changed at {describe(writer)} (version {now}, expected {now - count})",
        "use the out-of-place form there, or clone the Variable before it is changed",
    )


def since(version: Moment) -> list[Writes]:
    """The writes since a version, the oldest first."""
    found = []
    while version:
        found.append(version[0])
        version = version[1]
    return found
