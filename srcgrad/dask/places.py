"""``Places``: where blocks lie that are in the memory of workers.

Dask would rather move a block than have a worker wait, as long as it does not know how
short the wait is.
"""

import contextlib
from collections.abc import Iterable, Sequence
from typing import Any

import dask
from distributed import Future


class Places:
    """Which workers have blocks, as it is now.

    Parameters
    ----------
    blocks : iterable of sequence of Delayed
        The arguments of each.
    """

    def __init__(self, blocks: Iterable[Sequence[Any]]) -> None:
        futures = list(
            filter(None, (_future_of(each) for row in blocks for each in row))
        )
        self._workers = futures[0].client.who_has(futures) if futures else {}

    def of(self, block: Sequence[Any]) -> Any:
        """The context in which tasks are made that go to a block, if they can."""
        found = [set(self._workers.get(each.key, ())) for each in block]
        found = [workers for workers in found if workers]
        if not found:
            return contextlib.nullcontext()
        best = set.intersection(*found) or found[0]
        return dask.annotate(workers=sorted(best), allow_other_workers=True)


def _future_of(block: Any) -> Future | None:
    """What holds a block in the memory of workers; None if it is yet to be made."""
    found = block.dask.get(block.key)
    return found if isinstance(found, Future) else None
