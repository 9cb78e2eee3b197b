"""Which elements of sparse matrices meet in what is made of them: numbers alone."""

import numpy as np
from scipy import sparse

from srcgrad.errors import NoRuleError, located
from srcgrad.facts import declare
from srcgrad.modes import state
from srcgrad.protocols import ArrayProtocol, dispatched, raw_of
from srcgrad.rules.registry import defvjp
from srcgrad.rules.scipy.sparse_products import filled, parts
from srcgrad.updates import cast


def check_not_recorded(what):
    """What depends on the places themselves is for the tape."""
    if state.recorder is not None:
        state.recorder.refuse(f"{what} of a sparse matrix, by where its elements are")


def whole(place):
    """The rows of elements, or the columns, as integers."""
    if state.recorder is not None and isinstance(place, ArrayProtocol):
        if place.dtype.kind not in "iu":
            check_not_recorded("the places")
        return cast(place, np.dtype(int))
    return np.asarray(raw_of(place)).astype(int)


@dispatched
def reading_order(rows, columns, shape):
    """The numbers of elements, row by row."""
    sparse.coo_array((np.ones(len(rows)), (rows, columns)), shape=shape)  # its errors
    return np.lexsort((columns, rows))


@dispatched
def row_ends(rows, count):
    """Where each row begins in that order, and where the last one ends."""
    counts = np.bincount(rows, minlength=count)
    return np.concatenate([[0], np.cumsum(counts)]).astype(rows.dtype)


defvjp(reading_order, rows=None, columns=None)
defvjp(row_ends, rows=None)
declare(reading_order, raises=True)
declare(row_ends)


def part(pattern, key):
    """Which elements ``matrix[key]`` has, and where; of one place, that or none.

    No two of the elements may stand at one place. SciPy reads a matrix of numbers.
    """
    check_not_recorded("a part")
    keys = key if isinstance(key, tuple) else (key,)
    numbers = filled(np.arange(len(pattern.indices)) + 1.0, pattern)
    found = numbers[tuple(raw_of(each) for each in keys)]
    if np.ndim(found) == 0 and np.isscalar(found):
        return np.array([found] if found else []).astype(int) - 1, None
    if found.ndim != 2:
        raise located(
            NoRuleError(
                "a part of a sparse array whose elements are Variables is one "
                "element, or has two dimensions"
            ),
            "write `K[[i]]` for `K[i]`, `K[np.ix_(rows, columns)]`, or "
            "`K.toarray()[...]`",
        )
    which, there = parts(found)
    return which.astype(int) - 1, there


def unequal(pattern):
    """For each element the number of its place, and the places: rows and columns."""
    check_not_recorded("a sum")
    rows, columns = pattern.places
    width = max(pattern.shape[1], 1)
    cells, numbers = np.unique(
        rows.astype(np.int64) * width + columns, return_inverse=True
    )
    return numbers, np.divmod(cells, width)


def meetings(a, b):
    """Which elements are multiplied in ``a @ b``, and the places of their products."""
    check_not_recorded("a product")
    rows, inner = a.places
    b_rows, columns = b.places
    order = np.argsort(b_rows, kind="stable")
    first, last = (np.searchsorted(b_rows[order], inner, s) for s in ("left", "right"))
    counts = last - first
    of_a = np.repeat(np.arange(len(inner)), counts)
    before = np.repeat(np.cumsum(counts) - counts, counts)
    of_b = order[np.repeat(first, counts) + np.arange(len(of_a)) - before]
    return of_a, of_b, (rows[of_a], columns[of_b])
