"""Rules for ``scipy.stats``: means, moments, scores, circular statistics, Box-Cox."""

import math

import numpy as np
from scipy import special, stats
from scipy.stats._morestats import DirectionalStats
from scipy.stats._stats_py import DescribeResult

from srcgrad.rules.compositions import defined_as
from srcgrad.rules.scipy.without import refuse


def whole(nan_policy, *others):
    """Only what propagates nan has a rule; ``nan_policies`` makes the rest of it."""
    if nan_policy != "propagate" or any(other is not None for other in others):
        refuse(
            "this statistic with `dtype`, `weights` or this `nan_policy`",
            "choose the data before",
        )


POLICIES = "propagate", "omit", "raise"


def nan_is_absent(samples, nan_policy):
    """Whether a statistic of all of the data is meant; SciPy's errors."""
    if nan_policy not in POLICIES:
        raise ValueError("nan_policy must be one of {'propagate', 'raise', 'omit'}")
    if nan_policy == "propagate" or not any(np.any(np.isnan(x)) for x in samples):
        return True
    if nan_policy == "raise":
        raise ValueError("The input contains nan values")
    return False


def mean_of(x, axis, keepdims, weights=None):
    if weights is None:
        return np.mean(x, axis=axis, keepdims=keepdims)
    weights = np.broadcast_to(weights, np.shape(x))
    total = np.sum(weights * x, axis=axis, keepdims=keepdims)
    return total / np.sum(weights, axis=axis, keepdims=keepdims)


def count_of(x, axis):
    return np.size(x) if axis is None else np.shape(x)[axis]


# ----- Means -----
def gmean(
    a, axis=0, dtype=None, weights=None, *, nan_policy="propagate", keepdims=False
):
    whole(nan_policy, dtype)
    return np.exp(mean_of(np.log(a), axis, keepdims, weights))


def hmean(
    a, axis=0, dtype=None, *, weights=None, nan_policy="propagate", keepdims=False
):
    whole(nan_policy, dtype)
    return 1.0 / mean_of(1.0 / not_negative(a), axis, keepdims, weights)


def not_negative(a):
    """With nan, as SciPy says, where there is no such mean."""
    return np.where(a < 0.0, np.nan, a)


def pmean(
    a, p, *, axis=0, dtype=None, weights=None, nan_policy="propagate", keepdims=False
):
    whole(nan_policy, dtype)
    if p == 0 and isinstance(p, (int, float)):
        return gmean(a, axis, None, weights, keepdims=keepdims)
    if p == 0:  # the same, smooth in p
        logs = mean_of(special.boxcox(a, p), axis, keepdims, weights)
        return special.inv_boxcox(logs, p)
    if np.isinf(p):
        raise NotImplementedError("Power mean only implemented for finite `p`")
    return mean_of(not_negative(a) ** p, axis, keepdims, weights) ** (1.0 / p)


def tmean(
    a,
    limits=None,
    inclusive=(True, True),
    axis=None,
    *,
    nan_policy="propagate",
    keepdims=False,
):
    whole(nan_policy)
    if limits is None:
        return np.mean(a, axis=axis, keepdims=keepdims)
    return within(a, limits, inclusive, axis, keepdims)[1][()]


def within(a, limits, inclusive, axis, keepdims):
    """How many numbers lie within the limits, their mean, and where they lie."""
    low, high = limits
    inside = np.ones(np.shape(a), bool)
    if low is not None:
        inside = inside & ~(a < low if inclusive[0] else a <= low)
    if high is not None:
        inside = inside & ~(a > high if inclusive[1] else a >= high)
    if not np.any(inside):
        raise ValueError("No array values within given limits")
    count = np.sum(inside, axis=axis, keepdims=keepdims)
    total = np.sum(np.where(inside, a, 0.0), axis=axis, keepdims=keepdims)
    count = np.astype(np.where(count == 0, np.nan, count), total.dtype)
    return count, total / count, inside


# ----- Moments -----
def central(a, order, axis, keepdims):
    apart = a - np.mean(a, axis=axis, keepdims=True)
    return np.mean(apart**order, axis=axis, keepdims=keepdims)


def moment(a, order=1, axis=0, nan_policy="propagate", *, center=None, keepdims=False):
    whole(nan_policy)
    if np.ndim(order):
        refuse("moment of several orders", "call it for each")
    if np.ndim(center):
        refuse("moment about several points", "call it for each")
    if order == 0:
        ones = np.where(np.isnan(a), np.nan, 1.0)
        return np.mean(ones, axis=axis, keepdims=keepdims)
    if center is None:
        return central(a, order, axis, keepdims)
    return np.mean((a - center) ** order, axis=axis, keepdims=keepdims)


def is_constant(a, m2, axis, keepdims):
    """Whether the numbers differ by rounding alone."""
    mean = np.mean(a, axis=axis, keepdims=keepdims)
    return m2 <= (np.finfo(m2.dtype).eps * mean) ** 2


def skew(a, axis=0, bias=True, nan_policy="propagate", *, keepdims=False):
    whole(nan_policy)
    m2, m3 = (central(a, order, axis, keepdims) for order in (2, 3))
    n = count_of(a, axis)
    factor = 1.0 if bias or n < 3 else math.sqrt((n - 1.0) * n) / (n - 2.0)
    return np.where(is_constant(a, m2, axis, keepdims), np.nan, factor * m3 / m2**1.5)


def kurtosis(
    a, axis=0, fisher=True, bias=True, nan_policy="propagate", *, keepdims=False
):
    whole(nan_policy)
    m2, m4 = (central(a, order, axis, keepdims) for order in (2, 4))
    n = count_of(a, axis)
    value = m4 / (m2 * m2)
    value = np.where(is_constant(a, m2, axis, keepdims), np.nan, value)
    if not bias and n > 3:
        value = (n * n - 1.0) * value - 3.0 * (n - 1.0) ** 2
        value = value / ((n - 2.0) * (n - 3.0)) + 3.0
    return value - 3.0 if fisher else value


def sem(a, axis=0, ddof=1, nan_policy="propagate", *, keepdims=False):
    whole(nan_policy)
    spread = np.std(a, axis=axis, ddof=ddof, keepdims=keepdims)
    return spread / math.sqrt(count_of(a, axis))


def variation(a, axis=0, nan_policy="propagate", ddof=0, *, keepdims=False):
    whole(nan_policy)
    spread = np.std(a, axis=axis, ddof=ddof, keepdims=keepdims)
    return spread / np.mean(a, axis=axis, keepdims=keepdims)


def gstd(a, axis=0, ddof=1, *, keepdims=False, nan_policy="propagate"):
    whole(nan_policy)
    return np.exp(np.std(np.log(a), axis=axis, ddof=ddof, keepdims=keepdims))


def limited(whole_of, of_variance):
    """``tvar``, ``tstd``, ``tsem``: of all, or by the variance within the limits."""

    def composed(
        a,
        limits=None,
        inclusive=(True, True),
        axis=0,
        ddof=1,
        *,
        nan_policy="propagate",
        keepdims=False,
    ):
        whole(nan_policy)
        if limits is None:
            return whole_of(a, axis=axis, ddof=ddof, keepdims=keepdims)
        count, mean, inside = within(a, limits, inclusive, axis, True)
        apart = np.where(inside, a - mean, 0.0)
        freedom = np.where(count > ddof, count - ddof, np.nan)
        squares = np.sum(apart * apart, axis=axis, keepdims=True) / freedom
        out = of_variance(squares, count)
        return out if keepdims else np.squeeze(out, axis=axis)[()]

    return composed


def kstat(data, n=2, *, axis=None, nan_policy="propagate", keepdims=False):
    """An estimate of a cumulant without bias, from central moments."""
    whole(nan_policy)
    if n not in (1, 2, 3, 4):
        raise ValueError("k-statistics only supported for 1<=n<=4")
    if n == 1:
        return np.mean(data, axis=axis, keepdims=keepdims)
    size = np.float64(count_of(data, axis))  # too few give nan
    m = [central(data, order, axis, keepdims) for order in range(n + 1)]
    if n == 2:
        return size / (size - 1.0) * m[2]
    if n == 3:
        return size**2 / ((size - 1.0) * (size - 2.0)) * m[3]
    scale = size**2 / ((size - 1.0) * (size - 2.0) * (size - 3.0))
    return scale * ((size + 1.0) * m[4] - 3.0 * (size - 1.0) * m[2] * m[2])


def kstatvar(data, n=2, *, axis=None, nan_policy="propagate", keepdims=False):
    if n not in (1, 2):
        raise ValueError("Only n=1 or n=2 supported.")
    k2 = kstat(data, 2, axis=axis, nan_policy=nan_policy, keepdims=keepdims)
    size = float(count_of(data, axis))
    if n == 1:
        return k2 / size
    k4 = kstat(data, 4, axis=axis, keepdims=keepdims)
    return (2.0 * size * k2 * k2 + (size - 1.0) * k4) / (size * (size + 1.0))


def describe(a, axis=0, ddof=1, bias=True, nan_policy="propagate"):
    whole(nan_policy)
    return DescribeResult(
        count_of(a, axis),
        (np.min(a, axis=axis), np.max(a, axis=axis)),
        np.mean(a, axis=axis),
        np.var(a, axis=axis, ddof=ddof),
        skew(a, axis, bias),
        kurtosis(a, axis, bias=bias),
    )


# ----- Scores -----
def zmap(scores, compare, axis=0, ddof=0, nan_policy="propagate"):
    is_whole = nan_is_absent([compare], nan_policy)
    mean, std = (np.mean, np.std) if is_whole else (np.nanmean, np.nanstd)
    middle = mean(compare, axis=axis, keepdims=True)
    spread = std(compare, axis=axis, ddof=ddof, keepdims=True)
    if scores is compare:  # equal numbers, but for the rounding of their mean
        is_none = spread <= np.abs(np.finfo(spread.dtype).eps * middle)
        spread = np.where(is_none, np.nan, spread)
    if nan_policy != "omit":
        return (scores - middle) / spread
    is_nan = np.isnan(scores)  # no part of the gradient of the others
    return np.where(is_nan, np.nan, (np.where(is_nan, 0.0, scores) - middle) / spread)


def zscore(a, axis=0, ddof=0, nan_policy="propagate"):
    return zmap(a, a, axis, ddof, nan_policy)


def gzscore(a, *, axis=0, ddof=0, nan_policy="propagate"):
    is_nan = np.isnan(a) if nan_policy == "omit" else False
    logs = np.where(is_nan, np.nan, np.log(np.where(is_nan, 1.0, a)))
    return zscore(logs, axis, ddof, nan_policy)


def iqr(
    x,
    axis=None,
    rng=(25, 75),
    scale=1.0,
    nan_policy="propagate",
    interpolation="linear",
    keepdims=False,
):
    whole(nan_policy)
    if isinstance(scale, str):
        scale = 2.0 * math.sqrt(2.0) * special.erfinv(0.5)
    low, high = (
        np.percentile(x, q, axis=axis, method=interpolation, keepdims=keepdims)
        for q in sorted(rng)
    )
    return (high - low) / scale


# ----- Angles -----
def resultant(samples, high, low, axis, keepdims):
    angles = (samples - low) * (2.0 * math.pi / (high - low))
    parts = (function(angles) for function in (np.sin, np.cos))
    return [np.mean(part, axis=axis, keepdims=keepdims) for part in parts]


def length_of(*args):
    sine, cosine = resultant(*args)
    return np.sqrt(sine * sine + cosine * cosine)


def circmean(
    samples,
    high=2.0 * math.pi,
    low=0,
    axis=None,
    nan_policy="propagate",
    *,
    keepdims=False,
):
    whole(nan_policy)
    sine, cosine = resultant(samples, high, low, axis, keepdims)
    period = high - low
    return (np.arctan2(sine, cosine) * (period / (2.0 * math.pi))) % period + low


def circvar(
    samples,
    high=2.0 * math.pi,
    low=0,
    axis=None,
    nan_policy="propagate",
    *,
    keepdims=False,
):
    whole(nan_policy)
    return 1.0 - length_of(samples, high, low, axis, keepdims)


def circstd(
    samples,
    high=2.0 * math.pi,
    low=0,
    axis=None,
    nan_policy="propagate",
    *,
    normalize=False,
    keepdims=False,
):
    whole(nan_policy)
    length = length_of(samples, high, low, axis, keepdims)
    spread = np.sqrt(-2.0 * np.log(length))
    return spread if normalize else spread * ((high - low) / (2.0 * math.pi))


def directional_stats(samples, *, axis=0, normalize=True):
    samples = np.moveaxis(samples, axis, 0)
    if normalize:
        samples = samples / np.linalg.norm(samples, axis=-1, keepdims=True)
    mean = np.mean(samples, axis=0)
    length = np.linalg.norm(mean, axis=-1, keepdims=True)
    return DirectionalStats(mean / length, length[..., 0])


# ----- Information -----
def entropy(pk, qk=None, base=None, axis=0, *, nan_policy="propagate", keepdims=False):
    whole(nan_policy)
    if qk is not None:
        shape = np.broadcast_shapes(np.shape(pk), np.shape(qk))
        pk, qk = np.broadcast_to(pk, shape), np.broadcast_to(qk, shape)
    p = pk / np.sum(pk, axis=axis, keepdims=True)
    if qk is None:
        each = special.entr(p)
    else:
        each = special.rel_entr(p, qk / np.sum(qk, axis=axis, keepdims=True))
    out = np.sum(each, axis=axis, keepdims=keepdims)
    return out if base is None else out / math.log(base)


# ----- Transformations towards the normal distribution -----
def known(name, lmbda):
    if lmbda is None:
        refuse(f"{name} without `lmbda`", "it is found by an algorithm: give it one")


def boxcox(x, lmbda=None, alpha=None, optimizer=None):
    known("boxcox", lmbda)
    return special.boxcox(x, lmbda)


def yeojohnson(x, lmbda=None):
    known("yeojohnson", lmbda)
    is_positive = x >= 0
    above = special.boxcox1p(np.where(is_positive, x, 0.0), lmbda)
    below = special.boxcox1p(np.where(is_positive, 0.0, -x), 2.0 - lmbda)
    return np.where(is_positive, above, -below)


def spread_of(x, axis, keepdims):
    return np.log(np.var(x, axis=axis, keepdims=keepdims))


def boxcox_llf(lmb, data, *, axis=0, keepdims=False, nan_policy="propagate"):
    whole(nan_policy)
    n = count_of(data, axis)
    logs = np.sum(np.log(data), axis=axis, keepdims=keepdims)
    spread = spread_of(special.boxcox(data, lmb), axis, keepdims)
    return (lmb - 1.0) * logs - 0.5 * n * spread


def yeojohnson_llf(lmb, data, *, axis=0, nan_policy="propagate", keepdims=False):
    whole(nan_policy)
    n = count_of(data, axis)
    logs = np.sign(data) * np.log1p(np.abs(data))
    logs = np.sum(logs, axis=axis, keepdims=keepdims)
    spread = spread_of(yeojohnson(data, lmb), axis, keepdims)
    return (lmb - 1.0) * logs - 0.5 * n * spread


for _own in (gmean, hmean, pmean, tmean, moment, skew, kurtosis, sem, variation, gstd):
    defined_as(getattr(stats, _own.__name__), _own)
for _own in (zmap, zscore, gzscore, iqr, circmean, circvar, circstd, entropy):
    defined_as(getattr(stats, _own.__name__), _own)
for _own in (boxcox, yeojohnson, boxcox_llf, yeojohnson_llf):
    defined_as(getattr(stats, _own.__name__), _own)
for _own in (kstat, kstatvar, describe, directional_stats):
    defined_as(getattr(stats, _own.__name__), _own)
defined_as(stats.tvar, limited(np.var, lambda v, count: v))
defined_as(stats.tstd, limited(np.std, lambda v, count: np.sqrt(v)))
defined_as(stats.tsem, limited(sem, lambda v, count: np.sqrt(v / count)))
