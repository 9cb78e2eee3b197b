"""Sums over blocks, as a tree of tasks: in float64, by the numbers of the blocks.

So they do not depend on which worker does what, and when.
"""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import dask
import numpy as np

from srcgrad.dask.blocks import Counting
from srcgrad.dask.places import Places
from srcgrad.dask.programs import pickled, prepared, received, unpickled
from srcgrad.errors import add_note, told
from srcgrad.pytree import flatten

# So many sums are added to one.
FAN_IN = 8


class Part(NamedTuple):
    """The sum over some blocks.

    Attributes
    ----------
    rows : int
        How many rows they have.
    leaves : list
        Those of the sum; none for blocks without rows.
    missed : dict
        Why blocks were not computed, by their numbers.
    """

    rows: int = 0
    leaves: Sequence[Any] = ()
    missed: dict[int, str] = {}  # noqa: RUF012 (never changed)


def tree_of(
    program: bytes,
    given: Sequence[Any],
    numbers: Sequence[int],
    blocks: Sequence[Sequence[Any]],
    rules: "Rules",
) -> Any:
    """The delayed sum over blocks; what they all need goes to a worker once."""
    one = dask.delayed(part_of_block, pure=False)
    more = dask.delayed(added, pure=False)
    common = sent(program), sent(given)
    pairs = zip(numbers, blocks, strict=True)
    places = Places(blocks)
    parts = []
    for number, block in pairs:
        with places.of(block):
            parts.append(one(*common, number, rules, *block))
    while len(parts) > 1:
        parts = [more(parts[k : k + FAN_IN]) for k in range(0, len(parts), FAN_IN)]
    return parts[0]


def sent(item: Any) -> Any:
    """What many tasks get: a task of its own, so that it goes to a worker once.

    A worker that goes takes nothing along: another has it from the scheduler again.
    """
    return dask.delayed(unpickled, pure=False)(pickled(item))


@contextlib.contextmanager
def unwarned() -> Iterator[None]:
    """Where Dask does not warn of a large graph: what is given goes with each call."""
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "10 GiB"}):
        yield


def computed(tree: Any) -> Part:
    """The sum, wherever Dask computes now."""
    with unwarned():
        return dask.compute(tree)[0]  # type: ignore[no-any-return]


class Rules(NamedTuple):
    """How blocks are summed: the mean is weighted by rows."""

    is_mean: bool
    counting: Counting


def part_of_block(
    program: bytes, given: Sequence[Any], number: int, rules: Rules, *block: Any
) -> Part:
    """What a block contributes; runs on the worker where the block lies."""
    try:
        rows = rules.counting.rows_of(block)
        if not rows:
            return Part()
        leaves = flatten(received(program)(*prepared((*given, *block))))[0]
        weight = rows if rules.is_mean else 1
        wide = [_wide(leaf) * weight for leaf in leaves if leaf is not None]
    except (ImportError, MemoryError, OSError) as error:  # the worker's own troubles
        add_note(error, f"in block {number}")
        raise
    except Exception as error:
        return Part(missed={number: told(error.__cause__ or error)})
    return Part(rows, wide)


def added(parts: Sequence[Part]) -> Part:
    """The sum of sums, from the first to the last.

    >>> added([Part(2, [np.ones(2)]), Part(), Part(3, [np.ones(2)])])
    Part(rows=5, leaves=[array([2., 2.])], missed={})
    """
    missed = {k: why for part in parts for k, why in part.missed.items()}
    summed = [part for part in parts if part.rows]
    if missed or not summed:
        return Part(missed=missed)
    leaves = summed[0].leaves
    for part in summed[1:]:
        leaves = [a + b for a, b in zip(leaves, part.leaves, strict=True)]
    return Part(sum(part.rows for part in summed), leaves)


def _wide(leaf: Any) -> Any:
    """A leaf as an array of float64 or complex128, of its own."""
    array = np.asarray(leaf)
    return np.array(array, np.complex128 if array.dtype.kind == "c" else np.float64)
