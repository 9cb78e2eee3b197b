"""Compositions: differences, averages, covariances, reductions that skip nan."""

import math

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from srcgrad.rules.broadcasting import (
    along,
    reduced_axes,
    reduced_size,
)
from srcgrad.rules.compositions import as_array, defined_as, without_out
from srcgrad.updates import cast


def kept(keepdims):
    return False if keepdims is np._NoValue else keepdims


# ----- Skipping nan -----
def skipping_nan(function):
    """The function with nan left out through its own ``where``."""

    def skipping(a, axis=None, *args, where=np._NoValue, **kwargs):
        numbers = ~np.isnan(a)
        present = numbers if where is np._NoValue else numbers & where
        if np.ndim(a) == 0 and axis in (0, -1):  # which NumPy takes here, not in `var`
            axis = None
        return function(a, axis, *args, where=present, **kwargs)

    return skipping


def cumulating(function, neutral):
    """The function with ``neutral`` for nan."""

    def skipping(a, axis=None, dtype=None, out=None):
        without_out(out)
        return function(np.where(np.isnan(a), neutral, a), axis=axis, dtype=dtype)

    return skipping


defined_as(np.nanmean, skipping_nan(np.mean))
defined_as(np.nanvar, skipping_nan(np.var))
defined_as(np.nanstd, skipping_nan(np.std))
defined_as(np.nanprod, skipping_nan(np.prod))
defined_as(np.nancumsum, cumulating(np.cumsum, 0.0))
defined_as(np.nancumprod, cumulating(np.cumprod, 1.0))


# ----- Averages and ranges -----
def ptp(a, axis=None, out=None, keepdims=False):
    without_out(out)
    keepdims = kept(keepdims)
    largest = np.max(a, axis=axis, keepdims=keepdims)
    return largest - np.min(a, axis=axis, keepdims=keepdims)


def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    keepdims = kept(keepdims)
    a = as_array(a)
    shape = np.shape(a)
    axis = None if axis is None else normalize_axis_tuple(axis, len(shape))
    if weights is None:
        mean = np.mean(a, axis=axis, keepdims=keepdims)
        if not math.prod(mean.shape):
            raise ZeroDivisionError("division by zero")
        total = np.full(mean.shape, reduced_size(shape, axis), mean.dtype)
        return (mean, total) if returned else mean
    weights = weights_along(weights, shape, axis)
    dtype = np.result_type(a.dtype, weights.dtype)
    dtype = dtype if dtype.kind in "fc" else np.float64
    if not reduced_size(shape, axis):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
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


# ----- Covariances -----
def cov(
    m,
    y=None,
    rowvar=True,
    bias=False,
    ddof=None,
    fweights=None,
    aweights=None,
    *,
    dtype=None,
):
    rows = observations(m, rowvar, dtype)
    if not rows.shape[0]:
        return np.reshape(cast(rows, np.float64), (0, 0))
    if y is not None:
        rows = np.concatenate([rows, observations(y, rowvar, dtype)])
    weights = aweights if fweights is None else fweights
    if fweights is not None and aweights is not None:
        weights = np.multiply(fweights, aweights)
    if ddof is None:
        ddof = 0 if bias else 1
    total = rows.shape[1] if weights is None else np.sum(weights)
    if weights is None or aweights is None or ddof == 0:
        divisor = total - ddof
    else:
        divisor = total - ddof * np.sum(np.multiply(weights, aweights)) / total
    # NumPy's, too: what would be divided by less than nothing is by nothing.
    divisor = np.maximum(divisor, 0) if np.ndim(weights) else max(divisor, 0)
    off = rows - np.average(rows, axis=1, weights=weights, keepdims=True)
    weighted = off if weights is None else off * weights
    return np.squeeze(off @ np.conjugate(weighted.T) / divisor)


def observations(m, rowvar, dtype):
    """A variable in each row; floating-point numbers of double precision at least."""
    m = as_array(m)
    if m.ndim > 2:
        raise ValueError("m has more than 2 dimensions")
    dtype = np.result_type(m.dtype, np.float64) if dtype is None else dtype
    rows = np.reshape(cast(m, dtype), (1, -1)) if m.ndim < 2 else cast(m, dtype)
    return rows if rowvar or m.ndim < 2 else rows.T


def corrcoef(x, y=None, rowvar=True, *, dtype=None):
    covariances = cov(x, y, rowvar, dtype=dtype)
    if not covariances.ndim:
        return covariances / covariances
    deviations = np.sqrt(np.real(np.diagonal(covariances)))
    return covariances / deviations[:, None] / deviations


defined_as(np.cov, cov)
defined_as(np.corrcoef, corrcoef)


# ----- Differences and integrals -----
def diff(a, n=1, axis=-1, prepend=np._NoValue, append=np._NoValue):
    if n == 0:
        return a
    if n < 0:
        raise ValueError("order must be non-negative but got " + repr(n))
    axis = normalize_axis_index(axis, np.ndim(a))
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
    y = as_array(y)
    given, axis = axis, normalize_axis_index(axis, np.ndim(y))
    # x may have more axes than y
    width = dx
    if x is not None and np.ndim(x) == 1:
        width = np.reshape(np.diff(x), (-1,) + (1,) * (np.ndim(y) - 1 - axis))
    elif x is not None:
        width = np.diff(x, axis=given)
    left, right = y[along(axis, slice(None, -1))], y[along(axis, slice(1, None))]
    return np.sum(width * (right + left) / 2.0, axis=given)


def gradient(f, *varargs, axis=None, edge_order=1):
    f = as_array(f)
    axes = range(f.ndim) if axis is None else normalize_axis_tuple(axis, f.ndim)
    is_one = len(varargs) == 1 and np.ndim(varargs[0]) == 0
    if varargs and not is_one and len(varargs) != len(axes):
        raise TypeError("invalid number of arguments")
    if edge_order not in (1, 2):
        raise ValueError("'edge_order' greater than 2 not supported")
    spacings = varargs if len(varargs) == len(axes) else (*varargs, 1.0)[:1] * len(axes)
    slopes = [
        gradient_along(f, own, spacing, edge_order)
        for own, spacing in zip(axes, spacings, strict=True)
    ]
    return slopes[0] if len(slopes) == 1 else tuple(slopes)


def gradient_along(f, axis, spacing, edge_order):
    """Central differences inside, one-sided ones of one or two steps at the ends."""

    def at(start, stop):
        return f[along(axis, slice(start, stop or None))]

    if f.shape[axis] < edge_order + 1:
        raise ValueError(
            "Shape of array too small to calculate a numerical gradient, at least "
            "(edge_order + 1) elements are required."
        )
    steps = steps_between(spacing, f.shape[axis])
    if steps is None:  # all alike
        inner = (at(2, 0) - at(0, -2)) / (2.0 * spacing)
        ends = [spacing] * 4
    else:
        steps = np.reshape(steps, (-1,) + (1,) * (f.ndim - 1 - axis))
        left, right = steps[:-1], steps[1:]
        total = left + right
        inner = (
            -right / (left * total) * at(0, -2)
            + (right - left) / (left * right) * at(1, -1)
            + left / (right * total) * at(2, 0)
        )
        ends = [steps[0], steps[edge_order - 1], steps[-1], steps[-edge_order]]
    first = [at(i, i + 1) for i in range(edge_order + 1)]
    last = [at(-1 - i, -i) for i in range(edge_order + 1)]
    slopes = np.concatenate(
        [one_sided(first, *ends[:2]), inner, -one_sided(last, *ends[2:])], axis
    )
    # It has the dtype of the values, whatever that of the distances.
    is_other = f.dtype.kind in "fc" and slopes.dtype != f.dtype
    return cast(slopes, f.dtype) if is_other else slopes


def steps_between(spacing, n):
    """The distances of coordinates; None for a distance that all have."""
    if np.ndim(spacing) == 0:
        return None
    if np.ndim(spacing) != 1:
        raise ValueError("distances must be either scalars or 1d")
    if len(spacing) != n:
        raise ValueError(
            "when 1d, distances must match the length of the corresponding dimension"
        )
    return np.diff(spacing)


def one_sided(values, near, far):
    """The slope at the first of two or three values, by the steps between them."""
    if len(values) == 2:
        return (values[1] - values[0]) / near
    total = near + far
    return (
        -(2.0 * near + far) / (near * total) * values[0]
        + total / (near * far) * values[1]
        - near / (far * total) * values[2]
    )


defined_as(np.gradient, gradient)
defined_as(np.diff, diff)
defined_as(np.ediff1d, ediff1d)
defined_as(np.trapezoid, trapezoid)
if hasattr(np, "trapz"):  # its old name
    defined_as(np.trapz, trapezoid)


# ----- NumPy 2.1's names of cumsum and cumprod -----
def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    without_out(out)
    return accumulated(np.cumsum, 0.0, x, axis, dtype, include_initial)


def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    without_out(out)
    return accumulated(np.cumprod, 1.0, x, axis, dtype, include_initial)


def accumulated(function, start, x, axis, dtype, include_initial):
    x = np.atleast_1d(x)
    if axis is None and x.ndim > 1:
        raise ValueError(
            "For arrays which have more than one dimension ``axis`` argument is "
            "required."
        )
    (axis,) = normalize_axis_tuple(0 if axis is None else axis, x.ndim)
    result = function(x, axis=axis, dtype=dtype)
    if not include_initial:
        return result
    shape = (*result.shape[:axis], 1, *result.shape[axis + 1 :])
    return np.concatenate([np.full(shape, start, result.dtype), result], axis)


if hasattr(np, "cumulative_sum"):
    defined_as(np.cumulative_sum, cumulative_sum)
    defined_as(np.cumulative_prod, cumulative_prod)
