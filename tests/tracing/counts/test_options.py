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


def up_to_the_largest(x):
    return x[: np.argmax(x)] * 2.0


def as_many_as_are_positive(x):
    return np.sum(np.sort(x)[-(x > 0).sum() :])


def between_extremes(x):
    return np.sum(x[np.argmin(x) : np.argmax(x)] ** 2)


def up_to_zero_by_search(x):
    return x[: np.searchsorted(np.sort(x), 0.0)] * x[0]


def where_positive(x):
    return np.sum(x[np.where(x > 0)] ** 2)


def mean_where_positive(x):
    return np.mean(x[np.where(x > 0)])


def as_often_as_positive(x):
    y = x[np.where(x > 0)[0]]
    return np.sum(y) * y.shape[0] + np.sum(x) * len(np.where(x > 0)[0])


def mean_of_counts(x):
    return np.mean(np.bincount(np.digitize(x, [0.0, 2.0, 4.0]), weights=x))


def rows_and_columns_by_mask(x):
    mask = x > 0
    return np.sum(np.outer(x, x)[np.ix_(mask, mask)])


def by_mask_along_an_axis(x):
    return np.outer(x, x)[:, x > 0]


def by_list_of_truths(x):
    pair = x[:2]
    return pair[[x[0] > 0, x[1] > 0]] * 2.0


def counted_by_python(x):
    n = sum(x > 0)
    return x[:n] * 3.0


def from_the_first_positive(x):
    return x[np.nonzero(x > 0)[0][0] :] * 2.0


def filled_as_many(x):
    return np.full((x > 0).sum(), 2.0) * x[0]


def ones_as_many(x):
    return np.ones((x > 0).sum()) * x[0]


def repeated_where_positive(x):
    return np.repeat(x, (x > 0).astype(int))


def cut_at_the_largest(x):
    return np.split(x, [np.argmax(x)])[0] * 2.0


def cut_at_all_positive(x):
    return np.split(x, np.flatnonzero(x > 0))[0] * 2.0


def shaped_by_an_array(x):
    return np.reshape(np.outer(x, x[:4]), np.array([2, 10]) + (x[0] > 0) * 0) * 2.0


def zero_up_to_the_largest(x):
    y = x * 2.0
    y[: np.argmax(x)] = 0.0
    return np.sum(y * x)


SIZES = [
    *(up_to_the_largest, as_many_as_are_positive, between_extremes, where_positive),
    *(rows_and_columns_by_mask, by_mask_along_an_axis, by_list_of_truths),
    *(up_to_zero_by_search, counted_by_python, from_the_first_positive, ones_as_many),
    *(repeated_where_positive, cut_at_the_largest, cut_at_all_positive),
    *(shaped_by_an_array, zero_up_to_the_largest, filled_as_many),
    *(mean_where_positive, as_often_as_positive, mean_of_counts),
]


@pytest.mark.parametrize("function", SIZES)
def test_sizes_that_depend_on_values(function):
    same_gradients_through(function, *[(row,) for row in ROWS])


# ----- Sizes, places and axes that are integers of NumPy's -----


def slice_to(x, n):
    return np.sum(x[:n] ** 2)


def slice_from(x, n):
    return x[5 - n :] * 2.0


def slice_by_step(x, n):
    return x[:: n + 1] * 2.0


def slice_by_arithmetic(x, n):
    return x[: (n * 2) % 5] * 2.0


def slice_of_the_second_axis(x, n):
    return np.outer(x, x)[1:, :n]


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


def reshape(x, n):
    return np.reshape(np.outer(x, x[:4]), (n + 1, -1)) if n in (0, 1) else x * 2.0


def repeat(x, n):
    return np.repeat(x, n)


def tile(x, n):
    return np.tile(x, n)


def summed(x, n):
    return np.sum(np.outer(x, x[:3]), axis=n % 2)


def summed_by_method(x, n):
    return np.outer(x, x[:3]).sum(n % 2)


def largest_index(x, n):
    return x[:3] * np.argmax(np.outer(x, x[:3]), axis=n % 2)[:3]


def diagonal(x, n):
    return np.diag(np.outer(x, x), n)


def traced_offset(x, n):
    return np.trace(np.outer(x, x), n)


def rolled(x, n):
    return np.roll(x, n) * x


def broadcast(x, n):
    return np.broadcast_to(x, (n, 5)) * 1.0


def swapped(x, n):
    return np.swapaxes(np.outer(x, x[:3]), 0, n % 2)


def moved(x, n):
    return np.moveaxis(np.outer(x, x[:3]), n % 2, 0)


def expanded(x, n):
    return np.expand_dims(x, n % 2) * 2.0


def inserted(x, n):
    return np.insert(x, n, 1.0) * 2.0


def deleted(x, n):
    return np.delete(x, n) * 2.0


def padded(x, n):
    return np.pad(x, ((int(n), 1),)) * 2.0


def windows(x, n):
    return np.lib.stride_tricks.sliding_window_view(x, n + 1) * 2.0


def stacked(x, n):
    return np.stack([x, x * x], axis=n % 2)


def looped(x, n):
    total = 0.0
    for i in range(n):
        total = total + x[i]
    return total * x


NUMBERS = [
    *(slice_to, slice_from, slice_by_step, slice_by_arithmetic, store_slice),
    *(slice_of_the_second_axis, add_to_slice, store_part_of_row, element, reshape),
    *(repeat, tile, summed, summed_by_method, largest_index, diagonal, traced_offset),
    *(rolled, broadcast, swapped, moved, expanded, inserted, deleted, padded, windows),
    *(stacked, looped),
]


@pytest.mark.parametrize("kind", INTEGERS)
@pytest.mark.parametrize("function", NUMBERS)
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
