"""Rules for ``scipy.stats``: correlations, lines through points, frequencies, p-values.

What is made of ranks alone is constant between jumps (``without.STEPS``).
"""

import math

import numpy as np
from scipy import special, stats
from scipy.stats import _stats_py as of_scipy
from scipy.stats._stats_mstats_common import SiegelslopesResult, TheilslopesResult

from srcgrad.rules.compositions import defined_as
from srcgrad.rules.scipy.stats.descriptive import whole
from srcgrad.rules.scipy.stats.hypotheses import (
    Lines,
    chance,
    normal_chance,
    silently,
    t_chance,
)
from srcgrad.rules.scipy.without import refuse


# ----- Correlations -----
def unit(x):
    """The deviations from the mean, of length 1; scaled, so that none overflows."""
    apart = x - np.mean(x, axis=-1, keepdims=True)
    scale = np.max(np.abs(apart), axis=-1, keepdims=True)
    apart = apart / scale
    return apart / np.sqrt(np.sum(apart * apart, axis=-1, keepdims=True))


@silently
def pearsonr(x, y, *, alternative="two-sided", method=None, axis=0):
    if method is not None:
        refuse("pearsonr with `method`", "it draws random numbers")
    x, y = Lines([x, y], axis, "propagate", False).samples
    n = np.shape(x)[-1]
    r = np.clip(np.sum(unit(x) * unit(y), axis=-1), -1.0, 1.0)
    half = n / 2.0 - 1.0
    if n == 2:  # two points are on a line
        r = np.round(r)
        chances = np.where(np.isnan(r), np.nan, 1.0)[()]
    else:
        chances = chance(
            r,
            lambda r: special.betainc(half, half, 0.5 * (r + 1.0)),
            lambda r: special.betaincc(half, half, 0.5 * (r + 1.0)),
            alternative,
        )
    return of_scipy.PearsonRResult(
        r, chances, alternative=alternative, n=n, x=x, y=y, axis=-1
    )


def pointbiserialr(x, y, *, axis=0, nan_policy="propagate", keepdims=False):
    lines = Lines([x, y], axis, nan_policy, keepdims)
    result = pearsonr(*lines.samples, axis=-1)
    values = lines.result([result.statistic, result.pvalue])
    out = of_scipy.SignificanceResult(*values)
    out.correlation = values[0]
    return out


# ----- Lines through points -----
def linregress(
    x,
    y,
    alternative="two-sided",
    *,
    axis=0,
    nan_policy="propagate",
    keepdims=False,
):
    lines = Lines([x, y], axis, nan_policy, keepdims)
    x, y = lines.samples
    n = np.shape(x)[-1]
    middles = [np.mean(each, axis=-1) for each in (x, y)]
    x_apart, y_apart = (
        each - middle[..., None] for each, middle in zip((x, y), middles, strict=True)
    )
    of_x = np.mean(x_apart * x_apart, axis=-1)
    of_y = np.mean(y_apart * y_apart, axis=-1)
    if np.any(of_x == 0):
        raise ValueError(
            "Cannot calculate a linear regression if all x values are identical"
        )
    of_both = np.mean(x_apart * y_apart, axis=-1)
    is_flat = of_y == 0
    r = of_both / np.sqrt(of_x * np.where(is_flat, 1.0, of_y))
    r = np.clip(r, -1.0, 1.0)
    slope = of_both / of_x
    values = [slope, middles[1] - slope * middles[0], r]
    if n == 2:
        chances = np.where(is_flat, 1.0, 0.0)[()]
        values += [chances, np.zeros(np.shape(r))[()], np.zeros(np.shape(r))[()]]
    else:
        tiny = 1e-20
        t = r * np.sqrt((n - 2) / ((1.0 - r + tiny) * (1.0 + r + tiny)))
        error = np.sqrt((1.0 - r * r) * of_y / of_x / (n - 2))
        of_start = error * np.sqrt(of_x + middles[0] ** 2)
        values += [t_chance(float(n - 2), t, alternative), error, of_start]
    *values, of_start = lines.result(values)
    return of_scipy.LinregressResult(*values, intercept_stderr=of_start)


def points_of(y, x):
    """Those of one line: ``nan_policies`` goes along all."""
    return (np.arange(float(np.size(y))) if x is None else x), y


def pairs_of(x):
    return x[:, None] - x


def ties_of(x):
    """What ties take from the variance of a sum of signs."""
    equal = np.sum(x[:, None] == x, axis=1)
    return np.sum((equal - 1) * (2 * equal + 5))


def theilslopes(
    y,
    x=None,
    alpha=0.95,
    method="separate",
    *,
    axis=None,
    nan_policy="propagate",
    keepdims=False,
):
    if method not in ("joint", "separate"):
        raise ValueError(
            f"method must be either 'joint' or 'separate'.'{method}' is invalid."
        )
    x, y = points_of(y, x)
    is_pair = pairs_of(x) > 0
    slopes = np.sort(pairs_of(y)[is_pair] / pairs_of(x)[is_pair])
    middle = np.median(slopes)
    if method == "joint":
        start = np.median(y - middle * x)
    else:
        start = np.median(y) - middle * np.median(x)
    n, count = np.size(y), np.size(slopes)
    if not count:
        return TheilslopesResult(middle, start, np.nan, np.nan)
    square = (n * (n - 1) * (2 * n + 5) - ties_of(x) - ties_of(y)) / 18.0
    z = special.ndtri(min(alpha, 1.0 - alpha) / 2.0)
    reach = float(z * np.sqrt(square))
    high = min(round((count - reach) / 2.0), count - 1)
    low = max(round((count + reach) / 2.0) - 1, 0)
    return TheilslopesResult(middle, start, slopes[low], slopes[high])


def siegelslopes(
    y,
    x=None,
    method="hierarchical",
    *,
    axis=None,
    nan_policy="propagate",
    keepdims=False,
):
    if method not in ("hierarchical", "separate"):
        raise ValueError("method can only be 'hierarchical' or 'separate'")
    x, y = points_of(y, x)
    apart = pairs_of(x)
    is_same = apart == 0
    safe = np.where(is_same, 1.0, apart)

    def middle_of(rises):
        rows = np.where(is_same, np.nan, rises / safe)
        return np.median(np.nanmedian(rows, axis=1))

    slope = middle_of(pairs_of(y))
    if method == "separate":
        start = middle_of(y * x[:, None] - y[:, None] * x)
    else:
        start = np.median(y - slope * x)
    return SiegelslopesResult(slope, start)


# ----- Frequencies -----
LAMBDAS = {
    "pearson": 1,
    "log-likelihood": 0,
    "freeman-tukey": -0.5,
    "mod-log-likelihood": -1,
    "neyman": -2,
    "cressie-read": 2 / 3,
}


def check_sums(f_obs, f_exp, axis):
    dtype = np.result_type(f_obs, f_exp)
    observed = np.sum(f_obs, axis=axis, dtype=dtype)
    sums = np.sum(f_exp, axis=axis, dtype=dtype)
    relative = np.abs(observed - sums) / np.minimum(observed, sums)
    bound = math.sqrt(np.finfo(relative.dtype).eps)
    if np.any(relative > bound):
        raise ValueError(
            "For each axis slice, the sum of the observed frequencies must agree with "
            f"the sum of the expected frequencies to a relative tolerance of {bound}"
        )


def divergence(f_obs, f_exp, order):
    """The terms of the power divergence, smooth in an order that is a Variable."""
    is_fixed = isinstance(order, (int, float))
    if order == 1 and is_fixed:
        return (f_obs - f_exp) ** 2 / f_exp
    if order == 0:
        if is_fixed:
            return 2.0 * special.xlogy(f_obs, f_obs / f_exp)
        return 2.0 / (order + 1.0) * times_power(f_obs, f_obs / f_exp, order)
    if order == -1:
        if is_fixed:
            return 2.0 * special.xlogy(f_exp, f_exp / f_obs)
        return 2.0 / order * times_power(f_exp, f_obs / f_exp, order + 1.0)
    terms = f_obs * ((f_obs / f_exp) ** order - 1.0)
    terms = terms / (0.5 * order * (order + 1.0))
    # What SciPy has for 1 differs where the sums of both do.
    return terms + (f_exp - f_obs) if order == 1 else terms


def times_power(x, ratio, order):
    """``x * (ratio ** order - 1) / order``, and its limit where the order is 0."""
    return x * special.boxcox(np.where(x == 0, 1.0, ratio), order)


def power_divergence(
    f_obs,
    f_exp=None,
    ddof=0,
    axis=0,
    lambda_=None,
    *,
    nan_policy="propagate",
    keepdims=False,
    sum_check=True,
):
    whole(nan_policy)
    order = LAMBDAS[lambda_] if isinstance(lambda_, str) else lambda_
    order = 1 if order is None else order
    if f_exp is None:
        f_exp = np.mean(f_obs, axis=axis, keepdims=True)
    elif sum_check:
        check_sums(f_obs, f_exp, axis)
    terms = divergence(f_obs, f_exp, order)
    statistic = np.sum(terms, axis=axis, keepdims=keepdims)
    count = np.size(terms) if axis is None else np.shape(terms)[axis]
    chances = special.chdtrc(count - 1.0 - ddof, statistic)
    return of_scipy.Power_divergenceResult(statistic, chances)


def chisquare(
    f_obs,
    f_exp=None,
    ddof=0,
    axis=0,
    *,
    sum_check=True,
    nan_policy="propagate",
    keepdims=False,
):
    return power_divergence(
        f_obs,
        f_exp,
        ddof,
        axis,
        nan_policy=nan_policy,
        keepdims=keepdims,
        sum_check=sum_check,
    )


# ----- Several p-values -----
def fisher(p, weights, n):
    statistic = -2.0 * np.sum(np.log(p), axis=-1)
    return statistic, special.chdtrc(2.0 * n, statistic)


def pearson(p, weights, n):
    statistic = 2.0 * np.sum(np.log1p(-p), axis=-1)
    return statistic, special.chdtr(2.0 * n, -statistic)


def mudholkar_george(p, weights, n):
    statistic = np.sum(np.log1p(-p), axis=-1) - np.sum(np.log(p), axis=-1)
    df = 5.0 * n + 4.0
    scale = math.sqrt(3.0 / n) / math.pi * math.sqrt(df / (df - 2.0))
    return statistic, special.stdtr(df, -statistic * scale)


def tippett(p, weights, n):
    statistic = np.min(p, axis=-1)
    return statistic, special.betainc(1.0, float(n), statistic)


def stouffer(p, weights, n):
    weights = np.ones(n) if weights is None else weights
    total = np.sum(-weights * special.ndtri(p), axis=-1)
    statistic = total / np.sqrt(np.sum(weights * weights, axis=-1))
    return statistic, normal_chance(statistic, "greater")


COMBINATIONS = {
    own.__name__: own for own in (fisher, pearson, mudholkar_george, tippett, stouffer)
}


def combine_pvalues(
    pvalues,
    method="fisher",
    weights=None,
    *,
    axis=0,
    nan_policy="propagate",
    keepdims=False,
):
    if method not in COMBINATIONS:
        raise ValueError(
            f"Invalid method {method!r}. Valid methods are 'fisher', 'pearson', "
            "'mudholkar_george', 'tippett', and 'stouffer'"
        )
    given = [pvalues] if weights is None else [pvalues, weights]
    lines = Lines(given, axis, nan_policy, keepdims)
    p, weights = [*lines.samples, None][:2]
    values = COMBINATIONS[method](p, weights, np.shape(p)[-1])
    return of_scipy.SignificanceResult(*lines.result(values))


def false_discovery_control(ps, *, axis=0, method="bh"):
    """Each times how many there are over its rank; the smallest of those above it."""
    if method.lower() not in ("bh", "by"):
        raise ValueError(f"Unrecognized `method` '{method}'.")
    if not np.all((ps >= 0) & (ps <= 1)):
        raise ValueError("`ps` must include only numbers between 0 and 1.")
    ps = np.ravel(ps) if axis is None else np.moveaxis(ps, axis, -1)
    n = np.shape(ps)[-1]
    order = np.argsort(ps, axis=-1)
    ranks = np.arange(1.0, n + 1.0)
    scale = n / ranks
    if method.lower() == "by":
        scale = scale * np.sum(1.0 / ranks)
    sorted_ps = np.take_along_axis(ps, order, axis=-1) * scale
    least = np.minimum.accumulate(sorted_ps[..., ::-1], axis=-1)[..., ::-1]
    out = np.take_along_axis(least, np.argsort(order, axis=-1), axis=-1)
    out = np.minimum(out, 1.0)
    return out if axis is None else np.moveaxis(out, -1, axis)


for _own in (pearsonr, pointbiserialr, linregress, theilslopes, siegelslopes):
    defined_as(getattr(stats, _own.__name__), _own)
for _own in (power_divergence, chisquare, combine_pvalues, false_discovery_control):
    defined_as(getattr(stats, _own.__name__), _own)
