"""Rules for functions that look up where numbers lie: interpolation, histograms.

At a knot of ``np.interp`` the slope is that on its right; which bin a number is in does
not change with it.
"""

import math
import operator

import numpy as np

from srcgrad.facts import Operation
from srcgrad.modes import refuse, state
from srcgrad.rules.complexes import is_complex
from srcgrad.rules.compositions import as_array, defined_as
from srcgrad.rules.registry import defvjp
from srcgrad.updates import cast

# ----- Interpolation -----


def interp(x, xp, fp, left=None, right=None, period=None):
    xp, fp = as_array(xp), as_array(fp)
    if is_complex(x) or is_complex(xp):
        raise TypeError("np.interp takes real places")
    if period is not None:
        if period == 0:
            raise ValueError("period must be a non-zero value")
        period, left, right = abs(period), None, None
        x, xp = np.remainder(x, period), np.remainder(xp, period)
        order = np.argsort(xp)
        xp, fp = xp[order], fp[order]
        xp = np.concatenate((xp[-1:] - period, xp, xp[:1] + period))
        fp = np.concatenate((fp[-1:], fp, fp[:1]))
    last = len(xp) - 1
    left = fp[0] if left is None else left
    right = fp[last] if right is None else right
    if not last:
        inside = fp[np.zeros(np.shape(x), int)]
    else:
        below = np.clip(np.searchsorted(xp, x, side="right") - 1, 0, last - 1)
        widths = xp[1:] - xp[:-1]
        if period is not None:  # both its ends may be given: nothing is between them
            widths = np.where(widths == 0, 1.0, widths)
        slopes = (fp[1:] - fp[:-1]) / widths
        slope, knot, value = (looked_up(each, below) for each in (slopes, xp, fp))
        inside = slope * (x - knot) + value
    out = np.where(x < xp[0], left, np.where(x > xp[last], right, inside))
    dtype = np.complex128 if out.dtype.kind == "c" else np.float64
    out = out if out.dtype == dtype else cast(out, dtype)
    return out if out.ndim else out[()]


def looked_up(values, places):
    """``values[places]``; an ndarray's index is no operation, even if on the tape."""
    found = np.take_along_axis(values, np.reshape(places, -1), 0)
    return np.reshape(found, np.shape(places))


defined_as(np.interp, interp)

# ----- Histograms -----

defvjp(np.bincount, x=None, weights=lambda g, x: g[x])


def edges_of(a, bins=10, range=None, weights=None):
    """The edges of bins: evenly from the least to the largest element, or as given."""
    a = np.ravel(a)
    if isinstance(bins, str):
        if weights is not None:
            raise TypeError(
                "Automated estimation of the number of bins is not supported for "
                "weighted data"
            )
        raw = getattr(a, "value", a)
        count = len(np.histogram_bin_edges(raw, bins, range)) - 1
        if range is not None or not is_count_by_size(a, bins, count):
            refuse("makes as many bins as the values call for")
        bins = count
    if not is_count(bins):
        return as_array(bins)
    low, high = ends_of(a, range)
    dtype = np.result_type(a.dtype, getattr(low, "dtype", a.dtype))
    dtype = dtype if dtype.kind in "fc" else np.result_type(dtype, float)
    return np.linspace(low, high, operator.index(bins) + 1, dtype=dtype)


# Into how many parts of a bin's width the data go.
BY_SIZE: dict[str, Operation] = {
    "sqrt": np.sqrt,
    "sturges": lambda size: np.log2(size) + 1.0,
    "rice": lambda size: 2.0 * size ** (1.0 / 3),
}


def is_count_by_size(a, rule, count):
    """Whether that many bins follow from the data's size, as a condition on a trace.

    The number is rounded up from a quotient of values, and is 1 where all are equal.
    """
    if state.recorder is None or rule not in BY_SIZE:
        return False
    if not a.size or a.dtype.kind != "f":
        return False
    span = np.max(a) - np.min(a)
    is_usual = (span > np.finfo(a.dtype).tiny * a.size) & (span < np.inf)
    width = np.where(is_usual, span, 1.0) / BY_SIZE[rule](a.size)
    return bool(np.ceil(np.where(is_usual, span, 0.0) / width) == count)


def ends_of(a, range):
    """From where to where bins go."""
    low, high = (0.0, 1.0) if not np.size(a) else (np.min(a), np.max(a))
    low, high = (low, high) if range is None else range
    return (low - 0.5, high + 0.5) if low == high else (low, high)


def edges_along(a, bins, range):
    """The same in one of several dimensions, where NumPy has the dtype of the ends."""
    if not is_count(bins):
        return edges_of(a, bins, range)
    low, high = ends_of(a, range)
    return np.linspace(low, high, operator.index(bins) + 1)


def is_count(bins):
    """Whether it is a number of bins: a Variable may stand for one."""
    kind = getattr(bins, "dtype", np.dtype(type(bins))).kind
    return kind in "iu" and np.ndim(bins) == 0


def bin_of(a, edges):
    """The number of each element's bin, the last one closed; whether it is in one."""
    numbers = np.searchsorted(edges, a, side="right") - 1
    is_inside = (a >= edges[0]) & (a <= edges[-1])
    return np.clip(numbers, 0, len(edges) - 2), is_inside


def sums_of(bins, is_inside, weights, count):
    """The sum of the weights in each bin; their number, if there are none."""
    bins = bins[is_inside]
    if weights is None:
        return np.bincount(bins, minlength=count)
    weights = np.ravel(weights)
    parts = [np.real(weights), np.imag(weights)]
    if weights.dtype.kind != "c":
        return cast(np.bincount(bins, weights[is_inside], count), weights.dtype)
    real, imaginary = (np.bincount(bins, part[is_inside], count) for part in parts)
    return cast(real + 1j * imaginary, weights.dtype)


def histogram(a, bins=10, range=None, density=None, weights=None):
    if weights is not None and np.shape(weights) != np.shape(a):
        raise ValueError("weights should have the same shape as a.")
    edges = edges_of(a, bins, range, weights)
    bins, is_inside = bin_of(np.ravel(a), edges)
    found = sums_of(bins, is_inside, weights, len(edges) - 1)
    if density:
        found = found / cast(np.diff(edges), np.float64) / np.sum(found)
    return found, edges


def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    if isinstance(sample, (list, tuple)):
        columns = list(sample)
    else:
        columns = list(sample.T) if np.ndim(sample) > 1 else [sample]
    count = len(columns)
    each = [bins] * count if is_count(bins) else list(bins)
    ranges = [None] * count if range is None else range
    edges = [edges_along(*of) for of in zip(columns, each, ranges, strict=True)]
    shape = tuple(len(own) - 1 for own in edges)
    places, inside = zip(*map(bin_of, columns, edges), strict=True)
    numbers = places[0]
    for place, own in zip(places[1:], shape[1:], strict=True):
        numbers = numbers * own + place
    is_inside = np.all(np.stack(inside), axis=0)
    found = np.reshape(sums_of(numbers, is_inside, weights, math.prod(shape)), shape)
    found = found if found.dtype.kind == "c" else cast(found, np.float64)
    if density:
        found = found / np.sum(found)
        for axis, own in enumerate(edges):
            found = found / np.reshape(np.diff(own), (-1,) + (1,) * (count - 1 - axis))
    return found, edges


def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    if not is_count(bins) and len(bins) != 2:
        bins = [bins, bins]
    found, (x_edges, y_edges) = histogramdd([x, y], bins, range, density, weights)
    return found, x_edges, y_edges


defined_as(np.histogram, histogram)
defined_as(np.histogram2d, histogram2d)
defined_as(np.histogramdd, histogramdd)
defined_as(np.histogram_bin_edges, edges_of)
