"""``Pattern``: which elements of an array depend on which elements of another."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

# More entries than this in a part of a pattern that is not known to be sparse do not
# fit into the memory of most machines.
MOST_ENTRIES = 2 * 10**8


class DenseError(ValueError):
    """A pattern that is too dense to write down."""


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """The entries of a matrix by rows, as in SciPy's CSR format.

    ``columns[starts[i]:starts[i + 1]]`` are those of row ``i``, in ascending order.
    ``width`` is the number of columns.
    """

    starts: Any
    columns: Any
    width: int

    @classmethod
    def of(cls, rows: Any, columns: Any, height: int, width: int) -> "Pattern":
        """The pattern of entries in any order, some of them there more than once.

        >>> Pattern.of([1, 0, 1], [0, 2, 0], 2, 3).columns
        array([2, 0])
        """
        keys = np.asarray(rows, np.int64) * width + np.asarray(columns, np.int64)
        if not np.all(keys[1:] > keys[:-1]):
            keys.sort(kind="stable")  # much is in order
            is_new = np.ones(len(keys), bool)
            np.not_equal(keys[1:], keys[:-1], out=is_new[1:])
            keys = keys[is_new]
        found = keys // max(width, 1)
        starts = np.searchsorted(found, np.arange(height + 1))
        return cls(starts, keys - found * width, width)

    @classmethod
    def identity(cls, size: int) -> "Pattern":
        """That of an array on itself."""
        return cls(np.arange(size + 1), np.arange(size), size)

    @property
    def height(self) -> int:
        """The number of rows."""
        return len(self.starts) - 1

    @property
    def rows(self) -> Any:
        """The row of each entry."""
        return np.repeat(np.arange(self.height), np.diff(self.starts))

    def picked(self, numbers: Any) -> "Pattern":
        """Other rows: some of these, by number, and empty ones, by -1."""
        numbers = np.ravel(numbers).astype(np.intp)
        # The row with the number -1, the last, is empty.
        lengths = np.append(np.diff(self.starts), 0)[numbers]
        _check(int(lengths.sum()))
        starts = np.concatenate([[0], np.cumsum(lengths)])
        firsts = np.repeat(self.starts[numbers] - starts[:-1], lengths)
        return Pattern(starts, self.columns[firsts + np.arange(starts[-1])], self.width)

    def merged(self, numbers: Any, height: int) -> "Pattern":
        """Rows put together: for each the number of that which it is a part of."""
        rows = np.repeat(np.ravel(numbers), np.diff(self.starts))
        return Pattern.of(rows, self.columns, height, self.width)

    def transposed(self) -> "Pattern":
        """Rows for columns."""
        order = np.argsort(self.columns, kind="stable")
        counts = np.bincount(self.columns, minlength=self.width)
        starts = np.concatenate([[0], np.cumsum(counts)])
        return Pattern(starts, self.rows[order], self.height)


def union(patterns: Sequence[Pattern]) -> Pattern:
    """All entries of patterns of one shape."""
    first, *others = patterns
    if not others:
        return first
    rows = np.concatenate([pattern.rows for pattern in patterns])
    columns = np.concatenate([pattern.columns for pattern in patterns])
    return Pattern.of(rows, columns, first.height, first.width)


def stacked(patterns: Sequence[Pattern]) -> Pattern:
    """Patterns below one another."""
    if len(patterns) == 1:
        return patterns[0]
    offsets = np.cumsum([0, *(len(pattern.columns) for pattern in patterns)])
    starts = [
        pattern.starts[:-1] + offset
        for pattern, offset in zip(patterns, offsets, strict=False)
    ]
    return Pattern(
        np.concatenate([*starts, offsets[-1:]]),
        np.concatenate([pattern.columns for pattern in patterns]),
        patterns[0].width,
    )


def full(height: int, width: int) -> Pattern:
    """All entries."""
    _check(height * width)
    starts = np.arange(height + 1) * width
    return Pattern(starts, np.tile(np.arange(width), height), width)


def dense(pattern: Pattern, height: int) -> Pattern:
    """Each of some rows depends on all that the rows of a pattern depend on."""
    columns = np.unique(pattern.columns)
    _check(height * len(columns))
    starts = np.arange(height + 1) * len(columns)
    return Pattern(starts, np.tile(columns, height), pattern.width)


def _check(entries: int) -> None:
    if entries > MOST_ENTRIES:
        raise DenseError(
            f"the derivative is not sparse, as far as srcgrad can tell: {entries:.0e} "
            "entries"
        )
