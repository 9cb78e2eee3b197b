"""Compositions: differences, averages, covariances, reductions that skip nan."""

import numpy as np

from srcgrad.rules.broadcasting import (
    along,
    reduced_axes,
    reduced_size,
)
from srcgrad.rules.compositions import defined_as


def without_out(out):
    if out is not None:
        raise TypeError(
            "a result that depends on Variables cannot be written into `out`"
        )


def kept(keepdims):
    return False if keepdims is np._NoValue else keepdims


# ----- Skipping nan -----
def skipping_nan(function):
    """The function with nan left out through its own ``where``."""

    def skipping(a, *args, where=np._NoValue, **kwargs):
        numbers = ~np.isnan(a)
        present = numbers if where is np._NoValue else numbers & where
        return function(a, *args, where=present, **kwargs)

    return skipping


def nancumsum(a, axis=None, dtype=None, out=None):
    without_out(out)
    return np.cumsum(np.where(np.isnan(a), 0.0, a), axis=axis, dtype=dtype)


def nancumprod(a, axis=None, dtype=None, out=None):
    without_out(out)
    return np.cumprod(np.where(np.isnan(a), 1.0, a), axis=axis, dtype=dtype)


defined_as(np.nanmean, skipping_nan(np.mean))
defined_as(np.nanvar, skipping_nan(np.var))
defined_as(np.nanstd, skipping_nan(np.std))
defined_as(np.nanprod, skipping_nan(np.prod))
defined_as(np.nancumsum, nancumsum)
defined_as(np.nancumprod, nancumprod)


# ----- Averages and ranges -----
def ptp(a, axis=None, out=None, keepdims=False):
    without_out(out)
    keepdims = kept(keepdims)
    largest = np.max(a, axis=axis, keepdims=keepdims)
    return largest - np.min(a, axis=axis, keepdims=keepdims)


def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    keepdims = kept(keepdims)
    shape = np.shape(a)
    if weights is None:
        mean = np.mean(a, axis=axis, keepdims=keepdims)
        total = np.full(mean.shape, reduced_size(shape, axis), mean.dtype)
        return (mean, total) if returned else mean
    weights = weights_along(weights, shape, axis)
    dtype = np.result_type(a.dtype, weights.dtype)
    dtype = dtype if dtype.kind in "fc" else np.float64
    each = np.broadcast_to(weights, shape)
    total = np.sum(each, axis=axis, dtype=dtype, keepdims=keepdims)
    weighted = np.sum(np.multiply(a, weights), axis=axis, keepdims=keepdims)
    mean = np.divide(weighted, total)
    return (mean, total) if returned else mean


def weights_along(weights, shape, axis):
    """Give weights that are listed for some axes the shape of the whole array."""
    weights = np.array(weights) if isinstance(weights, (list, tuple)) else weights
    own = np.shape(weights)
    if own == shape:
        return weights
    if axis is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    axes = reduced_axes(len(shape), axis)
    if own != tuple(shape[i] for i in axes):
        raise ValueError(
            "Shape of weights must be consistent with shape of a along specified axis."
        )
    weights = np.transpose(weights, sorted(range(len(axes)), key=axes.__getitem__))
    return np.reshape(weights, [n if i in axes else 1 for i, n in enumerate(shape)])


defined_as(np.ptp, ptp)
defined_as(np.average, average)


# ----- Differences and integrals -----
def diff(a, n=1, axis=-1, prepend=np._NoValue, append=np._NoValue):
    if n == 0:
        return a
    if n < 0:
        raise ValueError("order must be non-negative but got " + repr(n))
    axis = axis % np.ndim(a)
    edges = [edge(prepend, a, axis), [a], edge(append, a, axis)]
    parts = [part for parts in edges for part in parts]
    a = np.concatenate(parts, axis) if len(parts) > 1 else a
    for _ in range(n):
        a = a[along(axis, slice(1, None))] - a[along(axis, slice(None, -1))]
    return a


def edge(values, a, axis):
    """What to prepend or append; a single number becomes a slice of ``a``."""
    if values is np._NoValue:
        return []
    if np.ndim(values) == 0:
        values = np.broadcast_to(values, (*a.shape[:axis], 1, *a.shape[axis + 1 :]))
    return [values]


def ediff1d(ary, to_end=None, to_begin=None):
    flat = np.ravel(ary)
    parts = [to_begin, flat[1:] - flat[:-1], to_end]
    parts = [np.ravel(part) for part in parts if part is not None]
    return np.concatenate(parts, dtype=flat.dtype)


def trapezoid(y, x=None, dx=1.0, axis=-1):
    axis = axis % np.ndim(y)
    width = dx
    if x is not None and np.ndim(x) == 1:
        width = np.reshape(np.diff(x), (-1,) + (1,) * (np.ndim(y) - 1 - axis))
    elif x is not None:
        width = np.diff(x, axis=axis)
    left, right = y[along(axis, slice(None, -1))], y[along(axis, slice(1, None))]
    return np.sum(width * (right + left) / 2.0, axis=axis)


defined_as(np.diff, diff)
defined_as(np.ediff1d, ediff1d)
defined_as(np.trapezoid, trapezoid)


# ----- NumPy 2.1's names of cumsum and cumprod -----
def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    without_out(out)
    return accumulated(np.cumsum, 0.0, x, axis, dtype, include_initial)


def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    without_out(out)
    return accumulated(np.cumprod, 1.0, x, axis, dtype, include_initial)


def accumulated(function, start, x, axis, dtype, include_initial):
    if axis is None and x.ndim > 1:
        raise ValueError(
            "For arrays which have more than one dimension ``axis`` argument is "
            "required."
        )
    axis = 0 if axis is None else axis % x.ndim
    result = function(x, axis=axis, dtype=dtype)
    if not include_initial:
        return result
    shape = (*result.shape[:axis], 1, *result.shape[axis + 1 :])
    return np.concatenate([np.full(shape, start, result.dtype), result], axis)


if hasattr(np, "cumulative_sum"):
    defined_as(np.cumulative_sum, cumulative_sum)
    defined_as(np.cumulative_prod, cumulative_prod)
