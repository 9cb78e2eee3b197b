"""What a node has saved, as it was then: writes that came since are undone."""

import threading
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

from srcgrad.errors import Where
from srcgrad.modes import state
from srcgrad.tape.function import sequence_like
from srcgrad.tape.overwritten import Memory, Writes, as_before
from srcgrad.tape.versions import (
    Fingerprint,
    Moment,
    Storage,
    Version,
    memory_of,
    refuse_write,
    since,
)


def as_saved(
    saved: Any, versions: Iterable[Version], saver: Where | None, name: str
) -> Any:
    """What a node has saved, nested as it is, without the writes that came since.

    Raises
    ------
    InplaceError
        If one of them came under ``no_grad``, or what it has overwritten was not kept;
        if one went around the Variable, where that is looked for.
    """
    undo = Undo(versions)
    for changed, version in undo.refused:
        refuse_write(changed, version, saver, name)
    for storage, version, raw in versions:
        if isinstance(storage, Fingerprint):
            storage.check(version, undo(raw), saver, name)
    return undo(saved)


def is_lost(version: Moment) -> bool:
    """Whether of something that was overwritten since a version nothing was kept."""
    return any(writes.is_lost for writes in since(version))


def is_refused(version: Moment) -> bool:
    """Whether a node on the tape that has saved a version refuses to go back."""
    return any(writes.is_refused for writes in since(version))


def version_of_copy(entry: Version, before: Any) -> Version:
    """What is noted of a copy of what was saved: it is refused where that was."""
    storage, version, _ = entry
    own = Storage()
    if not isinstance(storage, Storage) or not is_refused(version):
        return own, [], before
    writes = Writes()
    writes.count, writes.is_refused = sum(each.count for each in since(version)), True
    own.last = storage.last
    return own, [writes, own.version], before


class Undo:
    """Gives arrays as they were at some versions.

    ``refused`` are those after which something was written under ``no_grad``, or lost.
    """

    def __init__(self, versions: Iterable[Version]) -> None:
        self.refused: list[tuple[Storage, Moment]] = []
        # By the array that was saved, and its storage: two may lie in one memory.
        self._saved: dict[tuple[int, Storage], tuple[Moment, Any]] = {}
        self._found: dict[int, Any] = {}
        for storage, version, raw in versions:
            if version and isinstance(storage, Storage):
                self._saved[id(raw), storage] = version, raw
                if any(writes.is_refused for writes in _path(version)[0]):
                    self.refused.append((storage, version))

    def __call__(self, item: Any) -> Any:
        """What was saved, nested as it is, without the writes that came since."""
        if isinstance(item, (tuple, list)):
            return sequence_like(item, list(map(self, item)))
        if type(item) is not np.ndarray:
            return item
        found = self._found.get(id(item))
        return self._before(item) if found is None else found

    def _before(self, item: Any) -> Any:
        versions = self._since_saved(item)
        recorder = state.recorder
        if recorder is None and len(versions) == 1 and _is_long(versions[0]):
            before = rolled_back(versions[0], item)
        else:
            writes = [w for v in versions for each in since(v) for w in each.kept]
            writes.sort(key=lambda write: write.number)
            before = as_before(item, writes)
        if before is not item and recorder is not None:
            recorder.restored(item, before)
        self._found[id(item)] = before
        return before

    def _since_saved(self, item: Any) -> list[Moment]:
        """The versions since which an array may have changed."""
        own = [storage for number, storage in self._saved if number == id(item)]
        # A view of what was saved has no version of its own.
        return [
            version
            for (number, storage), (version, raw) in self._saved.items()
            if number == id(item) or (storage not in own and not _are_apart(raw, item))
        ]


# From how many versions on they are gone through in one copy of the memory: one by one
# takes quadratic time, a copy takes memory.
LONG = 8
# That copy is one walk's at a time.
_taking = threading.Lock()


def _path(version: Moment) -> tuple[list[Writes], Moment]:
    """The writes since a version up to one of known memory, and that, or the newest."""
    found = []
    while len(version) == 2:
        writes, version = version
        found.append(writes)
    return found, version


def _is_long(version: Moment) -> bool:
    """Whether it is worth it to keep the memory as it was, for the versions before."""
    for _ in range(LONG):
        if len(version) != 2:
            return bool(version)
        version = version[1]
    return True


def rolled_back(version: Moment, array: Any) -> Any:
    """An array as it was at a version of its memory.

    A walk back comes from newer versions to older ones. So the memory is copied once;
    it stays where the walk was last, and each write is undone once.
    """
    with _taking:
        writes, end = _path(version)
        memory: Memory | None = end.pop() if end else None
    steps = [write for each in writes for write in each.kept]
    if memory is None or not memory.holds(array, steps):
        steps = [write for each in since(version) for write in each.kept]
        memory = Memory(*byte_bounds(memory_of(array)), steps)
    memory.undo(steps)
    found = memory.copy_of(array)
    if any(each.is_refused for each in writes):
        return found  # who comes by here next is to see that
    with _taking:
        if len(version) == 2:
            version.append(memory)
    return found


def _are_apart(first: Any, second: Any) -> bool:
    """Whether two arrays lie in memory of different arrays."""
    owners = memory_of(first), memory_of(second)
    return owners[0] is not owners[1] and all(
        isinstance(owner, np.ndarray) and owner.flags.owndata for owner in owners
    )
