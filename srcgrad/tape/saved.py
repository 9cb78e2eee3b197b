"""What a node has saved, as it was then: writes that came since are undone."""

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from srcgrad.errors import Where
from srcgrad.modes import state
from srcgrad.tape.function import sequence_like
from srcgrad.tape.overwritten import Overwritten, as_before
from srcgrad.tape.versions import (
    Fingerprint,
    Moment,
    Storage,
    Version,
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
        If what one of them has overwritten was not kept; if there was a write that
        went around the Variable, where that is looked for.
    """
    undo = Undo(versions)
    for lost, version in undo.lost:
        refuse_write(lost, version, saver, name)
    for storage, version, raw in versions:
        if isinstance(storage, Fingerprint):
            storage.check(version, undo(raw), saver, name)
    return undo(saved)


def is_kept(version: Moment) -> bool:
    """Whether all that was overwritten since a version is still known."""
    return None not in since(version)


class Undo:
    """Gives arrays as they were at some versions; ``lost`` are those it cannot."""

    def __init__(self, versions: Iterable[Version]) -> None:
        self.lost: list[tuple[Storage, Moment]] = []
        # By the array that was saved, and its storage: two may lie in one memory.
        self._writes: dict[tuple[int, Storage], Sequence[Overwritten]] = {}
        self._found: dict[int, Any] = {}
        for storage, version, raw in versions:
            if not isinstance(storage, Storage):
                continue
            writes = since(version)
            kept = [write for write in writes if write is not None]
            if len(kept) < len(writes):
                self.lost.append((storage, version))
            self._writes[id(raw), storage] = kept

    def __call__(self, item: Any) -> Any:
        """What was saved, nested as it is, without the writes that came since."""
        if isinstance(item, (tuple, list)):
            return sequence_like(item, list(map(self, item)))
        if type(item) is not np.ndarray:
            return item
        found = self._found.get(id(item))
        return self._before(item) if found is None else found

    def _before(self, item: Any) -> Any:
        before = as_before(item, self._since_saved(item))
        if before is not item and state.recorder is not None:
            state.recorder.restored(item, before)
        self._found[id(item)] = before
        return before

    def _since_saved(self, item: Any) -> Sequence[Overwritten]:
        """The writes that may have changed an array, the oldest first."""
        own = [storage for number, storage in self._writes if number == id(item)]
        # A view of what was saved has no version of its own.
        lists = [
            writes
            for (number, storage), writes in self._writes.items()
            if number == id(item) or storage not in own
        ]
        if len(lists) == 1:
            return lists[0]
        return sorted(itertools.chain(*lists), key=lambda write: write.number)
