"""Many walks at once: a loop on the tape, a batch in a recording."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcgrad.modes import refuse, state
from srcgrad.policy import MOST_CHUNKS
from srcgrad.tracing.graphs.recorder import Recorder
from srcgrad.tracing.graphs.segments import recorded_batch

# From one seed (a cotangent, a tangent) to what reaches each place, or None.
Walk = Callable[[Any], Sequence[Any]]


def walked(
    walk: Walk, seeds: Any, name: str, chunk_size: int | None = None
) -> list[Any]:
    """What each of some seeds gives, stacked along a first axis; None where none does.

    Parameters
    ----------
    walk : callable
        Linear in the seed.
    seeds : ndarray
        Along the first axis.
    name : str
        What to call it, if it cannot be batched.
    chunk_size : int, optional
        How many to take at once.
    """
    if chunk_size is not None and chunk_size < len(seeds):
        count = -(-len(seeds) // chunk_size)
        if count > MOST_CHUNKS:
            refuse(
                f"computes {name} in {count} chunks, each of which would be written out"
            )
        starts = range(0, len(seeds), chunk_size)
        parts = [walked(walk, seeds[i : i + chunk_size], name) for i in starts]
        return [
            None if column[0] is None else np.concatenate(column)
            for column in zip(*parts, strict=True)
        ]
    recorder = state.recorder
    if isinstance(recorder, Recorder) and len(seeds):
        return recorded_batch(recorder, lambda leaves: [*walk(*leaves)], [seeds], name)
    lines = [walk(seed) for seed in seeds]
    return [_stacked(column) for column in zip(*lines, strict=True)]


def check_chunk_size(chunk_size: Any) -> None:
    """Raise if a user's ``chunk_size`` is no positive number.

    Raises
    ------
    ValueError
        Saying so.
    """
    is_int = isinstance(chunk_size, int) and not isinstance(chunk_size, bool)
    if chunk_size is not None and (not is_int or chunk_size < 1):
        raise ValueError(
            f"chunk_size is a positive int or None, but got {chunk_size!r}"
        )


def units(shape: tuple[int, ...], dtype: Any) -> Any:
    """All unit vectors of a shape, along a first axis.

    >>> units((2,), float)
    array([[1., 0.],
           [0., 1.]])
    """
    size = int(np.prod(shape))
    return np.eye(size, dtype=dtype).reshape(size, *shape)


def _stacked(column: Sequence[Any]) -> Any:
    there = next((each for each in column if each is not None), None)
    if there is None:
        return None
    zeros = np.zeros(there.shape, there.dtype)
    return np.stack([zeros if each is None else each for each in column])
