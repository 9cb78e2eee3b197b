"""Columns that share no row have one colour: a few products give a sparse matrix."""

from typing import Any

import numpy as np

from srcgrad.transforms.sparsity.pattern import Pattern


def colours_of(pattern: Pattern, columns: Pattern) -> Any:
    """A colour for each row, such that no two of one colour share a column.

    Greedily, from the first row on: of a band of width ``b`` it needs ``b`` colours.
    ``columns`` is the pattern transposed.

    >>> pattern = Pattern.of([0, 0, 1, 1, 2, 2], [0, 1, 1, 2, 2, 3], 3, 4)
    >>> colours_of(pattern, pattern.transposed())
    array([0, 1, 0])
    """
    height = pattern.height
    if crowding(columns) == height:
        return np.arange(height)  # all of them meet in one column
    found = [-1] * height
    starts, entries = pattern.starts.tolist(), pattern.columns.tolist()
    firsts, rows = columns.starts.tolist(), columns.columns.tolist()
    for row in range(height):
        taken = {
            found[other]
            for column in entries[starts[row] : starts[row + 1]]
            for other in rows[firsts[column] : firsts[column + 1]]
        }
        colour = 0
        while colour in taken:
            colour += 1
        found[row] = colour
    return np.array(found, int)


def crowding(columns: Pattern) -> int:
    """How many rows meet in one column, at most: there are no fewer colours."""
    return int(np.max(np.diff(columns.starts), initial=0))
