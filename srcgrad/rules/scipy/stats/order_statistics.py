"""Rules for ``scipy.stats``: what sorts, cuts or counts the data, distances of samples.

Between ties and the edges of what is cut these are smooth.
"""

import math
from typing import Any

import numpy as np
from scipy import special, stats
from scipy.stats import _stats_py as of_scipy

from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.quantiles import hundredth, of_all
from srcgrad.rules.registry import defconstant
from srcgrad.rules.scipy.stats.descriptive import whole
from srcgrad.rules.scipy.without import refuse


# ----- Cut at the ends -----
def kept(a, low, high, axis):
    """Some order statistics, as ``np.partition`` lays them out."""
    parted = np.partition(a, (low, high - 1), axis)
    index = [slice(None)] * np.ndim(a)
    index[axis] = slice(low, high)
    return parted[tuple(index)]


def flattened(a, axis):
    return (np.ravel(a), 0) if axis is None else (a, axis)


def trimboth(a, proportiontocut, axis=0):
    a, axis = flattened(a, axis)
    n = np.shape(a)[axis]
    cut = int(proportiontocut * n)
    if cut >= n - cut:
        raise ValueError("Proportion too big.")
    return kept(a, cut, n - cut, axis)


def trim1(a, proportiontocut, tail="right", axis=0):
    a, axis = flattened(a, axis)
    n = np.shape(a)[axis]
    cut = int(proportiontocut * n)
    if tail.lower() not in ("right", "left") or cut >= n:
        raise ValueError("trim1: `tail` is 'right' or 'left', and not all may be cut")
    low, high = (0, n - cut) if tail.lower() == "right" else (cut, n)
    return kept(a, low, high, axis)


def trim_mean(a, proportiontocut, axis=0, *, nan_policy="propagate", keepdims=False):
    whole(nan_policy)
    ndim = np.ndim(a)
    flat, along = flattened(a, axis)
    mean = np.mean(trimboth(flat, proportiontocut, along), axis=along)
    if not keepdims:
        return mean
    return np.reshape(mean, (1,) * ndim) if axis is None else np.expand_dims(mean, axis)


def sigmaclip(a, low=4.0, high=4.0):
    """Cut until nothing is far from the mean; what is cut is a step."""
    kept = np.ravel(a)
    while True:
        spread, middle, size = np.std(kept), np.mean(kept), np.size(kept)
        lower, upper = middle - spread * low, middle + spread * high
        kept = kept[(kept >= lower) & (kept <= upper)]
        if np.size(kept) == size:
            return of_scipy.SigmaclipResult(kept, lower, upper)


def extreme(reduce, far):
    """``tmin`` and ``tmax``: of what is within the limit."""

    def composed(
        a, limit=None, axis=0, inclusive=True, nan_policy="propagate", *, keepdims=False
    ):
        whole(nan_policy)
        if limit is None:
            return reduce(a, axis=axis, keepdims=keepdims)
        beyond = a < limit if far > 0 else a > limit
        if not inclusive:
            beyond = beyond | (a == limit)
        if np.all(beyond):
            raise ValueError("No array values within given limits")
        found = reduce(np.where(beyond, far, a), axis=axis, keepdims=keepdims)
        is_empty = np.all(beyond, axis=axis, keepdims=keepdims)
        return np.where(is_empty, np.nan, found)

    return composed


smallest, largest = extreme(np.min, np.inf), extreme(np.max, -np.inf)


def tmin(
    a,
    lowerlimit=None,
    axis=0,
    inclusive=True,
    nan_policy="propagate",
    *,
    keepdims=False,
):
    return smallest(a, lowerlimit, axis, inclusive, nan_policy, keepdims=keepdims)


def tmax(
    a,
    upperlimit=None,
    axis=0,
    inclusive=True,
    nan_policy="propagate",
    *,
    keepdims=False,
):
    return largest(a, upperlimit, axis, inclusive, nan_policy, keepdims=keepdims)


# ----- Quantiles -----
def median_abs_deviation(
    x, axis=0, center=None, scale=1.0, nan_policy="propagate", *, keepdims=False
):
    whole(nan_policy)
    if isinstance(scale, str):
        if scale.lower() != "normal":
            raise ValueError(f"{scale} is not a valid scale value.")
        scale = 0.6744897501960817  # SciPy's own number
    if center is None:
        middle = np.median(x, axis=axis, keepdims=True)
    elif axis is None:
        middle = center(x, axis=None)
    else:
        middle = np.expand_dims(center(x, axis=axis), axis)
    return np.median(np.abs(x - middle), axis=axis, keepdims=keepdims) / scale


METHODS: dict[str, Any] = {"fraction": "linear", "lower": "lower", "higher": "higher"}


def scoreatpercentile(a, per, limit=(), interpolation_method="fraction", axis=None):
    if limit:
        a = a[(limit[0] <= a) & (a <= limit[1])]
    if interpolation_method not in METHODS:
        raise ValueError(
            "interpolation_method can only be 'fraction', 'lower' or 'higher'"
        )
    return of_all(a, hundredth(per), axis, METHODS[interpolation_method])


def quantile(
    x,
    p,
    *,
    method="linear",
    axis=0,
    nan_policy="propagate",
    keepdims=None,
    weights=None,
):
    whole(nan_policy, weights)
    if np.ndim(p) or method == "harrell-davis" or method.startswith("_"):
        refuse("quantile of several `p`, or by this method", "use np.quantile")
    if method.startswith("round"):
        refuse("quantile by this method", "use np.quantile")
    return np.quantile(x, p, axis=axis, method=method, keepdims=bool(keepdims))


@dispatched
def expected(a, alpha, weights):
    """SciPy's expectile, as a number that carries no gradient."""
    return stats.expectile(a, alpha, weights=weights)


defconstant(expected)
declare(expected, raises=True)


def expectile(a, alpha=0.5, *, weights=None):
    """The mean with a weight for each side: only the sides need a search."""
    sides = np.abs((a <= expected(a, alpha, weights)) - alpha)
    if weights is not None:
        sides = sides * weights
    return np.sum(sides * a) / np.sum(sides)


# ----- Sums over order statistics -----
def lmoment(
    sample,
    order=None,
    *,
    axis=0,
    sorted=False,
    standardize=True,
    nan_policy="propagate",
    keepdims=False,
):
    whole(nan_policy)
    if keepdims:
        refuse("lmoment with keepdims=True", "use np.expand_dims")
    orders = np.arange(1, 5) if order is None else np.asarray(order)
    sample = np.moveaxis(sample, axis, -1)
    sample = sample if sorted else np.sort(sample, axis=-1)
    n, r = np.shape(sample)[-1], np.arange(int(np.max(orders)))
    if len(r) > n:
        refuse("lmoment of an order above the size of the sample", "ask for less")
    k = r[:, None]
    weights = special.binom(np.arange(n), k) / special.binom(n - 1, k) / n
    signed = (-1.0) ** (k - r) * special.binom(k, r) * special.binom(k + r, r)
    moments = sample @ (signed @ weights).T
    if standardize and len(r) > 2:
        spread = moments[..., 1:2]
        moments = np.concatenate([moments[..., :2], moments[..., 2:] / spread], -1)
    return np.moveaxis(moments, -1, 0)[orders - 1]


def padded(x, m):
    ends = (*np.shape(x)[:-1], m)
    first, last = (np.broadcast_to(end, ends) for end in (x[..., :1], x[..., -1:]))
    return np.concatenate([first, x, last], -1)


def steps(x, m):
    wide = padded(x, m)
    return wide[..., 2 * m :] - wide[..., : -2 * m]


def vasicek(x, m):
    return np.mean(np.log(np.shape(x)[-1] / (2.0 * m) * steps(x, m)), axis=-1)


def van_es(x, m):
    n = np.shape(x)[-1]
    apart = np.log((n + 1.0) / m * (x[..., m:] - x[..., :-m]))
    rest = np.sum(1.0 / np.arange(m, n + 1.0)) + math.log(m) - math.log(n + 1.0)
    return np.sum(apart, axis=-1) / (n - m) + rest


def ebrahimi(x, m):
    n = np.shape(x)[-1]
    place = np.arange(1.0, n + 1.0)
    from_end = np.minimum(np.minimum(place - 1.0, n - place) / m, 1.0)
    return np.mean(np.log(n * steps(x, m) / ((1.0 + from_end) * m)), axis=-1)


def correa(x, m):
    n = np.shape(x)[-1]
    places = np.arange(-m, m + 1)[:, None]
    near = padded(x, m)[..., np.arange(n) + places + m]
    apart = near - np.mean(near, axis=-2, keepdims=True)
    slope = np.sum(apart * places, axis=-2) / (n * np.sum(apart**2, axis=-2))
    return -np.mean(np.log(slope), axis=-1)


ENTROPIES = {
    "vasicek": vasicek,
    "van es": van_es,
    "ebrahimi": ebrahimi,
    "correa": correa,
}


def differential_entropy(
    values,
    *,
    window_length=None,
    base=None,
    axis=0,
    method="auto",
    nan_policy="propagate",
    keepdims=False,
):
    whole(nan_policy)
    method = method.lower()
    if method not in ("auto", *ENTROPIES):
        raise ValueError(f"`method` must be one of { {'auto', *ENTROPIES} }")
    ordered = np.sort(np.moveaxis(values, axis, -1), axis=-1)
    n = np.shape(ordered)[-1]
    window = math.floor(math.sqrt(n) + 0.5) if window_length is None else window_length
    if not 2 <= 2 * window < n:
        raise ValueError(
            f"Window length ({window}) must be positive and less than half the sample "
            f"size ({n})."
        )
    if method == "auto":
        method = "van es" if n <= 10 else "ebrahimi" if n <= 1000 else "vasicek"
    out = ENTROPIES[method](ordered, window)
    out = out if base is None else out / math.log(base)
    return np.expand_dims(out, axis) if keepdims else out


def obrientransform(*samples):
    if len({np.shape(sample) for sample in samples}) != 1:
        refuse("obrientransform of samples of several sizes", "call it for each")
    n = np.shape(samples[0])[0]
    arrays = []
    for sample in samples:
        squares = (sample - np.mean(sample)) ** 2
        whole_square = np.sum(squares)
        part = (n - 1.5) * n * squares - 0.5 * whole_square
        arrays.append(part / ((n - 1.0) * (n - 2.0)))
    return np.stack(arrays)


# ----- Distances between samples -----
def share_below(values, weights, points):
    """An empirical distribution function."""
    order = np.argsort(values)
    index = np.searchsorted(values[order], points, "right")
    if weights is None:
        return index / np.size(values)
    sums = np.concatenate([np.zeros(1), np.cumsum(weights[order])])
    return sums[index] / sums[-1]


def apart(u_values, v_values, u_weights, v_weights):
    """The steps between all values, and how far the shares below are apart."""
    for weights in (u_weights, v_weights):
        if weights is not None and (np.any(weights < 0) or not np.sum(weights) > 0):
            raise ValueError("All weights must be non-negative, and some positive.")
    points = np.sort(np.concatenate([u_values, v_values]))
    below = (
        share_below(values, weights, points[:-1])
        for values, weights in ((u_values, u_weights), (v_values, v_weights))
    )
    u, v = below
    return np.diff(points), u - v


def wasserstein_distance(u_values, v_values, u_weights=None, v_weights=None):
    lengths, between = apart(u_values, v_values, u_weights, v_weights)
    return np.sum(np.abs(between) * lengths)


def energy_distance(u_values, v_values, u_weights=None, v_weights=None):
    lengths, between = apart(u_values, v_values, u_weights, v_weights)
    return math.sqrt(2.0) * np.sqrt(np.sum(between**2 * lengths))


for _own in (trimboth, trim1, trim_mean, sigmaclip, tmin, tmax, median_abs_deviation):
    defined_as(getattr(stats, _own.__name__), _own)
for _own in (scoreatpercentile, quantile, expectile, lmoment, differential_entropy):
    defined_as(getattr(stats, _own.__name__), _own)
for _own in (obrientransform, wasserstein_distance, energy_distance):
    defined_as(getattr(stats, _own.__name__), _own)
