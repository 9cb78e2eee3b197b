"""Rules for the sets of an array's values: equal elements share a gradient equally."""

import numpy as np

from srcgrad.rules.compositions import defined_as
from srcgrad.rules.registry import defvjp


def values_of(results):
    """The values, which come first where there is more."""
    return results[0] if isinstance(results, (tuple, list)) else results


def shared_by_equals(g, array, array_shape, out):
    """Give each value's cotangent to the elements that are equal to it."""
    g, values = values_of(g), values_of(out)
    order = np.argsort(values)
    found = np.searchsorted(values[order], np.reshape(array, -1))
    places = order[np.minimum(found, values.size - 1)]
    counts = np.bincount(places, minlength=values.size)
    return np.reshape((g / np.maximum(counts, 1).astype(g.dtype))[places], array_shape)


def rows_shared_by_equals(g, ar, axis):
    found = np.unique(ar, return_inverse=True, return_counts=True, axis=axis)
    places = np.reshape(found[1], -1)
    shape = (-1,) + (1,) * (np.ndim(ar) - 1 - axis % np.ndim(ar))
    counts = np.reshape(found[2], shape).astype(values_of(g).dtype)
    return np.take(values_of(g) / counts, places, axis=axis)


defvjp(
    np.unique,
    ar=lambda g, ar, ar_shape, out, axis: (
        shared_by_equals(g, ar, ar_shape, out)
        if axis is None
        else rows_shared_by_equals(g, ar, axis)
    ),
)
for function in (
    *(np.unique_values, np.unique_counts),
    *(np.unique_inverse, np.unique_all),
):
    defvjp(function, x=lambda g, x, x_shape, out: shared_by_equals(g, x, x_shape, out))


def union1d(ar1, ar2):
    return np.unique(np.concatenate((ar1, ar2), axis=None))


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    if return_indices:
        raise NotImplementedError(
            "srcgrad differentiates np.intersect1d without return_indices only"
        )
    values, counts = counted(ar1, ar2)
    return values[counts == 2]


def setxor1d(ar1, ar2, assume_unique=False):
    values, counts = counted(ar1, ar2)
    return values[counts == 1]


def setdiff1d(ar1, ar2, assume_unique=False):
    values = np.ravel(ar1) if assume_unique else np.unique(ar1)
    return values[np.isin(values, ar2, invert=True)]


def counted(ar1, ar2):
    """All values, and in how many of the two arrays each is."""
    both = np.concatenate((np.unique(ar1), np.unique(ar2)))
    return np.unique(both, return_counts=True)


defined_as(np.union1d, union1d)
defined_as(np.intersect1d, intersect1d)
defined_as(np.setxor1d, setxor1d)
defined_as(np.setdiff1d, setdiff1d)
