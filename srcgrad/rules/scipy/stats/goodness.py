"""Rules for ``scipy.stats``: how well data fit a distribution, or each other.

Where SciPy cuts a series short the values are its own; the slopes are of the formulas.
"""

import math

import numpy as np
from scipy import special, stats
from scipy.stats import _hypotests, _morestats, _stats_py, contingency
from scipy.stats._ansari_swilk_statistics import swilk

from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.libraries import replacement_of
from srcgrad.rules.registry import defconstant
from srcgrad.rules.scipy.stats.correlations import power_divergence
from srcgrad.rules.scipy.stats.descriptive import iqr
from srcgrad.rules.scipy.stats.hypotheses import Lines, silently
from srcgrad.rules.scipy.without import refuse
from srcgrad.valued import valued


# ----- Tables of frequencies -----
def chi2_contingency(observed, correction=True, lambda_=None, *, method=None):
    if method is not None:
        refuse("chi2_contingency with `method`", "it draws random numbers")
    if np.any(observed < 0):
        raise ValueError("All values in `observed` must be nonnegative.")
    axes = range(np.ndim(observed))
    expected = 1.0 / np.sum(observed) ** (len(axes) - 1)
    for axis in axes:
        others = tuple(each for each in axes if each != axis)
        expected = expected * np.sum(observed, axis=others, keepdims=True)
    if np.any(expected == 0):
        raise ValueError(
            "The internally computed table of expected frequencies has a zero element"
        )
    df = np.size(expected) - sum(np.shape(expected)) + len(axes) - 1
    if df == 0:
        return contingency.Chi2ContingencyResult(0.0, 1.0, df, expected)
    if df == 1 and correction:
        apart = expected - observed
        observed = observed + np.minimum(0.5, np.abs(apart)) * np.sign(apart)
    result = power_divergence(
        *(observed, expected, np.size(expected) - 1 - df, None), lambda_=lambda_
    )
    return contingency.Chi2ContingencyResult(*result, df, expected)


# ----- One sample and a distribution -----
def distribution_function(cdf):
    """What is called for it, where it is SciPy's too."""
    named = getattr(stats, cdf).cdf if isinstance(cdf, str) else cdf
    return replacement_of(named)


def largest(apart, x):
    place = np.argmax(apart, axis=-1)[..., None]
    return (np.take_along_axis(each, place, axis=-1)[..., 0] for each in (apart, x))


KS_CHANCES = {
    "auto": lambda d, n: replacement_of(stats.kstwo.sf)(d, n),
    "exact": lambda d, n: replacement_of(stats.kstwo.sf)(d, n),
    "asymp": lambda d, n: special.kolmogorov(d * math.sqrt(n)),
}


def ks_1samp(
    x,
    cdf,
    args=(),
    alternative="two-sided",
    method="auto",
    *,
    axis=0,
    nan_policy="propagate",
    keepdims=False,
):
    lines = Lines([x], axis, nan_policy, keepdims)
    x = np.sort(lines.samples[0], axis=-1)
    n = np.shape(x)[-1]
    shares = distribution_function(cdf)(x, *args)
    above, of_above = largest(np.arange(1.0, n + 1) / n - shares, x)
    below, of_below = largest(shares - np.arange(0.0, n) / n, x)
    one_sided = replacement_of(stats.ksone.sf)
    if alternative[0].lower() == "g":
        d, place, is_above = above, of_above, True
    elif alternative[0].lower() == "l":
        d, place, is_above = below, of_below, False
    else:
        is_above = above > below
        d, place = (
            np.where(is_above, *each) for each in ((above, below), (of_above, of_below))
        )
    if alternative[0].lower() in "gl":
        chances = one_sided(d, n)
    elif method in KS_CHANCES:
        chances = np.clip(KS_CHANCES[method](d, n), 0.0, 1.0)
    else:
        chances = np.clip(2.0 * one_sided(d, n), 0.0, 1.0)
    sign = np.where(is_above, np.ones(np.shape(d), np.int8), np.int8(-1))[()]
    d, chances, place, sign = lines.result([d, chances, place, sign])
    return _stats_py.KstestResult(
        d, chances, statistic_location=place, statistic_sign=sign
    )


def kstest(rvs, cdf, args=(), N=20, alternative="two-sided", method="auto", **options):
    if isinstance(rvs, str) or callable(rvs):
        refuse("kstest of random numbers", "draw them before")
    if isinstance(cdf, str) or callable(cdf):
        return replacement_of(stats.ks_1samp)(
            *(rvs, cdf, args, alternative, method), **options
        )
    return replacement_of(stats.ks_2samp)(
        *(rvs, cdf, alternative.replace("_", "-"), method), **options
    )


TERMS = 24


def cramer_share(x):
    """The limiting distribution function of Cramér's and von Mises' statistic."""
    k = np.arange(float(TERMS))
    x = x[..., None]
    scale = np.exp(special.gammaln(k + 0.5) - special.gammaln(k + 1.0))
    order = 4.0 * k + 1.0
    q = order * order / (16.0 * x)
    terms = scale * np.sqrt(order) * np.exp(-2.0 * q) * special.kve(0.25, q)
    return np.sum(terms / (math.pi**1.5 * np.sqrt(x)), axis=-1)


def cramer_correction(x):
    """What a finite sample changes of it, times its size."""
    k = np.arange(float(TERMS))
    x = x[..., None]

    def second(y):
        z = 0.25 * y * y
        both = special.kve(0.25, z) + special.kve(0.75, z)
        return np.exp(-2.0 * z) * (0.5 * y) ** 1.5 * both

    def third(y):
        z = 0.25 * y * y
        all_three = 2.0 * special.kve(0.25, z) + 3.0 * special.kve(0.75, z)
        all_three = all_three - special.kve(1.25, z)
        return np.exp(-2.0 * z) * (0.5 * y) ** 2.5 * all_three

    m, width = 2.0 * k + 1.0, 2.0 * np.sqrt(x)
    low, middle, high = ((4.0 * k + j) / width for j in (1.0, 3.0, 5.0))
    over = math.sqrt(math.pi) * math.pi * special.gamma(k + 1.0)
    half, more = special.gamma(k + 0.5) / over, special.gamma(k + 1.5) / over
    of_second = m * half * (16.0 * second(middle) + 7.0 * (second(low) + second(high)))
    of_third = half * third(low) + 12.0 * (m + 2.0) * more * third(high)
    terms = of_second / (144.0 * x**0.75) + of_third / (72.0 * x**1.25)
    return -np.sum(terms, axis=-1)


@dispatched
def cramer_value(w, n):
    return np.clip(1.0 - _hypotests._cdf_cvm(w, n), 0.0, None)


def cramervonmises(
    rvs, cdf, args=(), *, axis=0, nan_policy="propagate", keepdims=False
):
    lines = Lines([rvs], axis, nan_policy, keepdims)
    x = np.sort(lines.samples[0], axis=-1)
    n = np.shape(x)[-1]
    middles = (2.0 * np.arange(1.0, n + 1) - 1.0) / (2.0 * n)
    apart = middles - distribution_function(cdf)(x, *args)
    w = 1.0 / (12.0 * n) + np.sum(apart * apart, axis=-1)
    is_inside = (w > 1.0 / (12.0 * n)) & (w < n / 3.0)
    point = np.where(is_inside, w, 1.0)
    share = cramer_share(point) * (1.0 + 1.0 / (12.0 * n))
    share = np.where(is_inside, share + cramer_correction(point) / n, 0.0)
    chances = valued(1.0 - share, cramer_value(w, n))
    if n == 1:  # to SciPy it is none
        w, chances = w * np.nan, chances * np.nan
    return _hypotests.CramerVonMisesResult(*lines.result([w, chances]))


# ----- Shapiro's and Wilk's test for the normal distribution -----
@dispatched
def shapiro_values(x):
    """As SciPy has them, and the weights of the differences of opposite values."""
    weights = np.zeros(np.size(x) // 2)
    y = np.sort(np.asarray(x, float))
    y -= x[np.size(x) // 2]
    return (*swilk(y, weights, 0)[:2], weights)


def horner(coefficients, x):
    return sum(c * x**i for i, c in enumerate(coefficients))


def shapiro_chance(w, n):
    """Royston's approximation (AS R94)."""
    if n == 3:
        apart = np.arcsin(np.sqrt(w)) - math.asin(math.sqrt(0.75))
        return 6.0 / math.pi * apart
    y, log_n = np.log1p(-w), math.log(n)
    if n <= 11:
        y = -np.log(-2.273 + 0.459 * n - y)
        middle = horner((0.544, -0.39978, 0.025054, -6.714e-4), n)
        spread = math.exp(horner((1.3822, -0.77857, 0.062767, -0.0020322), n))
    else:
        middle = horner((-1.5861, -0.31082, -0.083751, 0.0038915), log_n)
        spread = math.exp(horner((-0.4803, -0.082676, 0.0030302), log_n))
    return special.ndtr((middle - y) / spread)


@silently
def shapiro(x, *, axis=None, nan_policy="propagate", keepdims=False):
    lines = Lines([x], None, nan_policy, keepdims)
    (x,) = lines.samples
    n = np.size(x)
    if n < 3:
        raise ValueError("Data must be at least length 3.")
    value, chance, weights = shapiro_values(x)
    y = np.sort(x)
    spread = np.sum((y - np.mean(y)) ** 2)
    half = n // 2
    w = np.sum(weights * (y[::-1][:half] - y[:half])) ** 2 / spread
    chances = valued(shapiro_chance(w, n), chance)
    return _morestats.ShapiroResult(*lines.result([valued(w, value), chances]))


# ----- Two samples by their characteristic functions -----
def epps_singleton_2samp(
    x, y, t=(0.4, 0.8), *, axis=0, nan_policy="propagate", keepdims=False
):
    lines = Lines([x, y], axis, nan_policy, keepdims)
    x, y = lines.samples
    counts = np.shape(x)[-1], np.shape(y)[-1]
    n = sum(counts)
    if min(counts) < 5:
        raise ValueError("x and y should have at least 5 elements")
    sigma = 0.5 * iqr(np.concatenate([x, y], axis=-1), axis=-1, keepdims=True)
    spread, apart = 0.0, 0.0
    for sample, sign in ((x, 1.0), (y, -1.0)):
        turns = np.reshape(t, (-1, 1)) * (sample / sigma)[..., None, :]
        waves = np.concatenate([np.cos(turns), np.sin(turns)], axis=-2)
        mean = np.mean(waves, axis=-1, keepdims=True)
        rest = waves - mean
        size = np.shape(sample)[-1]
        spread = spread + n / size**2 * (rest @ np.swapaxes(rest, -1, -2))
        apart = apart + sign * mean
    inverse = np.linalg.pinv(spread)
    w = n * (np.swapaxes(apart, -1, -2) @ (inverse @ apart))[..., 0, 0]
    if max(counts) < 25:
        fall = sum(count**-1.7 for count in counts)
        w = w / (1.0 + n**-0.45 + 10.1 * fall)
    df = np.linalg.matrix_rank(inverse) * 1.0
    return _hypotests.Epps_Singleton_2sampResult(
        *lines.result([w, special.chdtrc(df, w)])
    )


defconstant(cramer_value, shapiro_values)
for _own in (cramer_value, shapiro_values):
    declare(_own, raises=True)
for _own in (ks_1samp, kstest, cramervonmises):  # which call a function
    declare(getattr(stats, _own.__name__), calls=True, raises=True)
    defined_as(getattr(stats, _own.__name__), _own)
for _own in (chi2_contingency, shapiro, epps_singleton_2samp):
    defined_as(getattr(stats, _own.__name__), _own)
