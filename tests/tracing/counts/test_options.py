"""What decides a shape is the same at every call that a trace serves."""

import numpy as np
import pytest

import srcgrad
from tests.tracing.comparing import X, same_gradients_through, same_through

ROWS = [
    np.array([1.0, -2.0, 3.0, -0.5, 2.0]),
    np.array([-1.0, -2.0, 3.0, 5.0, -2.0]),
    np.array([1.0, 2.0, 3.0, 4.0, 5.0]),
    np.array([2.0, -0.5, 3.0, -2.0, 1.0]),
]
INTEGERS = (np.int64, np.int32, np.uint8, np.array)

# ----- Sizes that come of the values of an array -----


def as_often_as_positive(x):
    y = x[np.where(x > 0)[0]]
    return np.sum(y) * y.shape[0] + np.sum(x) * len(np.where(x > 0)[0])


def rows_and_columns_by_mask(x):
    mask = x > 0
    return np.sum(np.outer(x, x)[np.ix_(mask, mask)])


def by_list_of_truths(x):
    pair = x[:2]
    return pair[[x[0] > 0, x[1] > 0]] * 2.0


def counted_by_python(x):
    n = sum(x > 0)
    return x[:n] * 3.0


def zero_up_to_the_largest(x):
    y = x * 2.0
    y[: np.argmax(x)] = 0.0
    return np.sum(y * x)


SIZES = {
    "up to the largest": lambda x: x[: np.argmax(x)] * 2.0,
    "as many as are positive": lambda x: np.sum(np.sort(x)[-(x > 0).sum() :]),
    "between extremes": lambda x: np.sum(x[np.argmin(x) : np.argmax(x)] ** 2),
    "where positive": lambda x: np.sum(x[np.where(x > 0)] ** 2),
    "rows and columns by mask": rows_and_columns_by_mask,
    "by mask along an axis": lambda x: np.outer(x, x)[:, x > 0],
    "by list of truths": by_list_of_truths,
    "up to zero by search": lambda x: x[: np.searchsorted(np.sort(x), 0.0)] * x[0],
    "counted by python": counted_by_python,
    "from the first positive": lambda x: x[np.nonzero(x > 0)[0][0] :] * 2.0,
    "ones as many": lambda x: np.ones((x > 0).sum()) * x[0],
    "repeated where positive": lambda x: np.repeat(x, (x > 0).astype(int)),
    "cut at the largest": lambda x: np.split(x, [np.argmax(x)])[0] * 2.0,
    "cut at all positive": lambda x: np.split(x, np.flatnonzero(x > 0))[0] * 2.0,
    "shaped by an array": lambda x: (
        np.reshape(np.outer(x, x[:4]), np.array([2, 10]) + (x[0] > 0) * 0) * 2.0
    ),
    "zero up to the largest": zero_up_to_the_largest,
    "filled as many": lambda x: np.full((x > 0).sum(), 2.0) * x[0],
    "mean where positive": lambda x: np.mean(x[np.where(x > 0)]),
    "as often as positive": as_often_as_positive,
    "mean of counts": lambda x: np.mean(
        np.bincount(np.digitize(x, [0.0, 2.0, 4.0]), weights=x)
    ),
}


@pytest.mark.parametrize("function", SIZES.values(), ids=SIZES)
def test_sizes_that_depend_on_values(function):
    same_gradients_through(function, *[(row,) for row in ROWS])


# ----- Sizes, places and axes that are integers of NumPy's -----


def slice_to(x, n):
    return np.sum(x[:n] ** 2)


def store_slice(x, n):
    y = x * 2.0
    y[:n] = 0
    return np.sum(y * x)


def add_to_slice(x, n):
    y = x * 1.0
    y[n:] *= 2.0
    return np.sum(y * y)


def store_part_of_row(x, n):
    y = np.outer(x, x)
    y[n, :n] = 0
    return np.sum(y)


def element(x, n):
    return x[n] * x


def looped(x, n):
    total = 0.0
    for i in range(n):
        total = total + x[i]
    return total * x


NUMBERS = {
    "slice to": slice_to,
    "slice from": lambda x, n: x[5 - n :] * 2.0,
    "slice by step": lambda x, n: x[:: n + 1] * 2.0,
    "slice by arithmetic": lambda x, n: x[: (n * 2) % 5] * 2.0,
    "store slice": store_slice,
    "slice of the second axis": lambda x, n: np.outer(x, x)[1:, :n],
    "add to slice": add_to_slice,
    "store part of row": store_part_of_row,
    "element": element,
    "reshape": lambda x, n: (
        np.reshape(np.outer(x, x[:4]), (n + 1, -1)) if n in (0, 1) else x * 2.0
    ),
    "repeat": lambda x, n: np.repeat(x, n),
    "tile": lambda x, n: np.tile(x, n),
    "summed": lambda x, n: np.sum(np.outer(x, x[:3]), axis=n % 2),
    "summed by method": lambda x, n: np.outer(x, x[:3]).sum(n % 2),
    "largest index": lambda x, n: x[:3] * np.argmax(np.outer(x, x[:3]), axis=n % 2)[:3],
    "diagonal": lambda x, n: np.diag(np.outer(x, x), n),
    "traced offset": lambda x, n: np.trace(np.outer(x, x), n),
    "rolled": lambda x, n: np.roll(x, n) * x,
    "broadcast": lambda x, n: np.broadcast_to(x, (n, 5)) * 1.0,
    "swapped": lambda x, n: np.swapaxes(np.outer(x, x[:3]), 0, n % 2),
    "moved": lambda x, n: np.moveaxis(np.outer(x, x[:3]), n % 2, 0),
    "expanded": lambda x, n: np.expand_dims(x, n % 2) * 2.0,
    "inserted": lambda x, n: np.insert(x, n, 1.0) * 2.0,
    "deleted": lambda x, n: np.delete(x, n) * 2.0,
    "padded": lambda x, n: np.pad(x, ((int(n), 1),)) * 2.0,
    "windows": lambda x, n: np.lib.stride_tricks.sliding_window_view(x, n + 1) * 2.0,
    "stacked": lambda x, n: np.stack([x, x * x], axis=n % 2),
    "looped": looped,
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("kind", INTEGERS)
@pytest.mark.parametrize("function", NUMBERS.values(), ids=NUMBERS)
def test_integers_as_arguments(function, kind):
    same_gradients_through(function, *[(ROWS[0], kind(n)) for n in (1, 0, 2, 4)])


def test_a_place_stays_in_the_graph():
    traced = same_through(element, *[lambda n=n: (X, np.int64(n)) for n in (0, 1, 2)])
    assert traced.stats.traces == 1


def test_a_guard_says_which_number_was_expected():
    traced = srcgrad.trace(slice_to)
    for n in (1, 2):
        traced(X, np.int64(n))
    assert "int of `n` was 1" in traced.source()
