"""Compositions: medians, percentiles and quantiles, which pick from sorted elements.

The slope in a quantile's place ``q`` is that between the two elements beside it; the
methods that jump from one element to the next have none.
"""

import math

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from srcgrad.rules.broadcasting import kept_shape
from srcgrad.rules.complexes import is_complex
from srcgrad.rules.compositions import as_array, defined_as, defined_by, without_out
from srcgrad.rules.statistics import kept, weights_along
from srcgrad.updates import cast

# Where the quantile q of n sorted elements is, counted from 0, before it is limited.
PLACES = {
    "linear": lambda q, n: q * (n - 1.0),
    "lower": lambda q, n: np.floor(q * (n - 1.0)),
    "higher": lambda q, n: np.ceil(q * (n - 1.0)),
    "nearest": lambda q, n: np.round(q * (n - 1.0)),
    "midpoint": lambda q, n: halfway(q * (n - 1.0)),
    "inverted_cdf": lambda q, n: np.ceil(q * n) - 1.0,
    "averaged_inverted_cdf": lambda q, n: halfway(q * n, 1.0),
    "closest_observation": lambda q, n: np.round(q * n) - 1.0,
    "interpolated_inverted_cdf": lambda q, n: q * n - 1.0,
    "hazen": lambda q, n: q * n - 0.5,
    "weibull": lambda q, n: q * (n + 1.0) - 1.0,
    "median_unbiased": lambda q, n: q * (n + 1.0 / 3.0) - 2.0 / 3.0,
    "normal_unbiased": lambda q, n: q * (n + 0.25) - 0.625,
}


# Those whose results are elements.
PICKING = {"lower", "higher", "nearest", "inverted_cdf", "closest_observation"}


def halfway(place, down=0.0):
    return 0.5 * (np.floor(place) + np.ceil(place) - down)


# ----- NumPy's functions -----
def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    without_out(out)
    front = in_front(a, axis)
    if not front.shape[0]:  # nan, and NumPy's warning
        return finished(np.mean(front, axis=0), (), a, axis, keepdims)
    half, odd = divmod(front.shape[0], 2)
    if odd:
        (middle,) = picked(front, half)
    else:
        low, high = picked(front, half - 1, half)
        middle = 0.5 * (low + high)
    return finished(nan_like(front, middle), (), a, axis, keepdims)


def quantile(a, q, axis, out, method, keepdims, weights):
    without_out(out)
    check(a, q)
    if weights is not None:
        return weighted(a, q, axis, method, keepdims, weights)
    return of_all(a, q, axis, method, keepdims)


def of_all(a, q, axis=None, method="linear", keepdims=False):
    """Complex numbers have an order, too: SciPy takes some of them by that."""
    front = in_front(a, axis)
    n = front.shape[0]
    dtype = dtype_of(front, q, method)
    below, above, fraction = between(place_of(q, n, method), n, dtype, q)
    if not n:
        raise IndexError("np.quantile of nothing: the axis has no elements")
    if type(below) is int:
        low, high = picked(front, below, above)
    else:
        ordered = np.sort(front, axis=0)
        low, high = np.take(ordered, below, axis=0), np.take(ordered, above, axis=0)
    if np.ndim(q):
        fraction = np.reshape(fraction, np.shape(q) + (1,) * (front.ndim - 1))
    result = nan_like(front, low + (high - low) * fraction)
    return finished(result, np.shape(q), a, axis, keepdims)


def nanquantile(a, q, axis, out, method, keepdims, weights):
    without_out(out)
    check(a, q)
    if weights is not None and np.size(a):
        weights = np.where(np.isnan(a), 0.0, weights_along(weights, np.shape(a), axis))
        return weighted(a, q, axis, method, keepdims, weights)
    return of_those_present(a, q, axis, method, keepdims)


def of_those_present(a, q, axis, method, keepdims):
    if not np.size(a):  # one of nothing, as in NumPy: of how many q does not matter
        return np.nanmean(a, axis=axis, keepdims=kept(keepdims))
    ordered = np.sort(in_front(a, axis), axis=0)
    n = np.sum(~np.isnan(ordered), axis=0)
    qs = np.reshape(q, (-1,) + (1,) * (ordered.ndim - 1))
    place = place_of(qs, cast(n, np.result_type(n, 1.0)), method)
    dtype = dtype_of(ordered, q, method)
    below, above, fraction = between(place, n, dtype, q)
    low = np.take_along_axis(ordered, below, axis=0)
    high = np.take_along_axis(ordered, above, axis=0)
    result = low + (high - low) * fraction
    result = np.reshape(result, np.shape(q) + ordered.shape[1:])
    return finished(result, np.shape(q), a, axis, keepdims)


def of_hundredths(run):
    """``percentile`` and ``nanpercentile``"""

    def composed(a, q, axis, out, method, keepdims, weights):
        return run(a, hundredth(q), axis, out, method, keepdims, weights)

    return composed


def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    without_out(out)
    return of_those_present(a, 0.5, axis, "linear", keepdims)


defined_as(np.median, median)
defined_as(np.nanmedian, nanmedian)
defined_by(np.quantile, quantile)
defined_by(np.percentile, of_hundredths(quantile))
defined_by(np.nanquantile, nanquantile)
defined_by(np.nanpercentile, of_hundredths(nanquantile))


# ----- Steps -----
def hundredth(q):
    return np.divide(q, 100.0) if np.ndim(q) else q / 100.0


def check(a, q):
    if is_complex(a):
        raise TypeError("a must be an array of real numbers")
    if not np.all((np.greater_equal(q, 0)) & (np.less_equal(q, 1))):
        raise ValueError("Quantiles must be in the range [0, 1]")


def picked(front, *places):
    """What would be at these places along the first axis, were it sorted."""
    order = np.argpartition(front, places, axis=0)
    if front.ndim == 1:
        return [np.take(front, order[place], axis=0) for place in places]
    return [
        np.take_along_axis(front, order[place : place + 1], axis=0)[0]
        for place in places
    ]


def in_front(a, axis):
    """Merge the reduced axes into one, and move it to the front."""
    a = as_array(a)
    axes = range(a.ndim) if axis is None else normalize_axis_tuple(axis, a.ndim)
    rest = [i for i in range(a.ndim) if i not in axes]
    front = np.transpose(a, (*axes, *rest)) if rest else a
    kept_lengths = [a.shape[i] for i in rest]
    return np.reshape(front, (math.prod(a.shape[i] for i in axes), *kept_lengths))


def place_of(q, n, method):
    if method not in PLACES:
        raise ValueError(
            f"{method!r} is not a valid method. Use one of: {', '.join(PLACES)}"
        )
    return PLACES[method](np.asarray(q) if isinstance(q, (list, tuple)) else q, n)


def between(place, n, dtype, q):
    """The indices on both sides of a place, and how far it is from the first."""
    if type(q) in (int, float) and type(n) is int:
        position = min(max(float(place), 0.0), n - 1.0)
        below = min(math.floor(position), max(n - 2, 0))
        return below, min(below + 1, n - 1), position - below
    last = max(n - 1.0, 0.0) if type(n) is int else np.maximum(n - 1.0, 0.0)
    position = np.clip(place, 0.0, last)
    below = np.floor(np.minimum(position, np.maximum(last - 1.0, 0.0)))
    above = np.minimum(below + 1.0, last)
    fraction = cast(position - below, dtype)
    return cast(below, int), cast(above, int), fraction


def dtype_of(ordered, q, method):
    """The dtype of the result; a number adapts to the data.

    While it is traced, too: then it is in a Variable.
    """
    is_number = type(getattr(q, "value", q)) in (int, float)
    if is_number or method in PICKING:
        return ordered.dtype
    return np.result_type(ordered.dtype, getattr(q, "dtype", np.float64))


def weighted(a, q, axis, method, keepdims, weights):
    """The first elements up to which the weights are a share q of all."""
    if method != "inverted_cdf":
        raise ValueError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")
    weights = np.broadcast_to(weights_along(weights, np.shape(a), axis), np.shape(a))
    front, weights = in_front(a, axis), in_front(weights, axis)
    order = np.argsort(front, axis=0)
    ordered = np.take_along_axis(front, order, axis=0)
    sums = np.cumsum(np.take_along_axis(weights, order, axis=0), axis=0)
    shares = np.where(sums > 0.0, sums / sums[-1:], -1.0)
    qs = np.reshape(q, (-1,) + (1,) * ordered.ndim)
    number = np.sum(shares < qs, axis=1)
    result = np.take_along_axis(ordered, np.minimum(number, len(ordered) - 1), axis=0)
    shape = kept_shape(np.shape(a), axis) if kept(keepdims) else ordered.shape[1:]
    return np.reshape(result, np.shape(q) + shape)  # an array, one without axes, too


def nan_like(front, result):
    """As in NumPy: nan where there is one."""
    return np.where(np.any(np.isnan(front), axis=0), np.nan, result)


def finished(result, q_shape, a, axis, keepdims):
    if kept(keepdims):
        return np.reshape(result, q_shape + kept_shape(np.shape(a), axis))
    return result if result.ndim else result[()]
