"""Rules for ``scipy.stats``: tests of hypotheses, correlations, lines through points.

Each result is an object of SciPy's own class. What a test makes of ranks alone is
constant between jumps (``without.STEPS``).
"""

import math
from typing import Any

import numpy as np
from scipy import special, stats
from scipy.stats import _stats_py as of_scipy

from srcgrad.rules.compositions import defined_as
from srcgrad.rules.scipy.stats.descriptive import kurtosis, skew, whole
from srcgrad.rules.scipy.stats.order_statistics import trim_mean
from srcgrad.rules.scipy.without import refuse

silently: Any = np.errstate(divide="ignore", invalid="ignore")


class Lines:
    """Samples with the axis of a statistic as their last, and the way back."""

    def __init__(
        self, samples: Any, axis: Any, nan_policy: Any, keepdims: bool
    ) -> None:
        whole(nan_policy)
        if isinstance(axis, tuple):
            refuse("a test along several axes", "reshape the samples")
        self.axis, self.keepdims = axis, keepdims
        self.ndim = max(map(np.ndim, samples))
        self.samples = [self.laid(sample) for sample in samples]

    def laid(self, sample: Any) -> Any:
        if self.axis is None:
            return np.ravel(sample)
        missing = (1,) * (self.ndim - np.ndim(sample))
        return np.moveaxis(
            np.reshape(sample, missing + np.shape(sample)), self.axis, -1
        )

    def result(self, values: Any) -> Any:
        """The values of each line, as SciPy lays them out."""
        if not self.keepdims:
            return values
        if self.axis is None:
            return [np.reshape(value, (1,) * self.ndim) for value in values]
        return [np.expand_dims(value, self.axis) for value in values]


# ----- How likely a statistic is by chance -----
def chance(statistic: Any, below: Any, above: Any, alternative: str) -> Any:
    """The p-value, of a distribution that is symmetric around 0."""
    if alternative == "less":
        return below(statistic)
    if alternative == "greater":
        return above(statistic)
    if alternative == "two-sided":
        return 2.0 * above(np.abs(statistic))
    raise ValueError("`alternative` must be 'less', 'greater', or 'two-sided'.")


def normal_chance(z, alternative):
    return chance(z, special.ndtr, lambda z: special.ndtr(-z), alternative)


def t_chance(df, t, alternative):
    return chance(
        t,
        lambda t: special.stdtr(df, t),
        lambda t: special.stdtr(df, -t),
        alternative,
    )


# ----- Student's tests -----
SIDES = {"less": -1, "two-sided": 0, "greater": 1}


def variance(x):
    """Without bias; SciPy takes that of one number for 0."""
    if np.shape(x)[-1] == 1:
        return np.zeros(np.shape(x)[:-1])
    return np.var(x, axis=-1, ddof=1)


def trimmed(x, trim):
    """The variance, the count and the mean; Yuen's, where there is less of a sample."""
    n = np.shape(x)[-1]
    if not trim:
        return variance(x), n, np.mean(x, axis=-1)
    count = int(n * trim)
    x = np.sort(x, axis=-1)
    left = n - 2 * count
    inside = np.clip(np.arange(n), count, n - count - 1)  # the tails are its ends
    spread = np.var(x[..., inside], axis=-1, ddof=2 * count + 1)
    spread = np.where(np.any(np.isnan(x), axis=-1), np.nan, spread)
    return spread, left, trim_mean(x, trim, axis=-1)


def pooled(v1, n1, v2, n2):
    df = n1 + n2 - 2.0
    spread = ((n1 - 1) * v1 + (n2 - 1) * v2) / df
    return df, np.sqrt(spread * (1.0 / n1 + 1.0 / n2))


def welch(v1, n1, v2, n2):
    v1, v2 = v1 / n1, v2 / n2
    both = v1 + v2
    df = both**2 / (v1**2 / (n1 - 1) + v2**2 / (n2 - 1))
    return np.where(np.isnan(df), 1.0, df), np.sqrt(both)


def t_result(lines, t, df, alternative, error, estimate):
    chances = t_chance(df, t, alternative)
    df = np.broadcast_to(df, np.shape(t))[()]
    values = lines.result([t, chances, df, error, estimate])
    return of_scipy.TtestResult(
        *values[:2],
        df=values[2],
        standard_error=values[3],
        estimate=values[4],
        alternative=SIDES[alternative],
        statistic_np=np.zeros(np.shape(values[0])),  # of which it takes the form
        xp=np,
    )


@silently
def ttest_1samp(
    a,
    popmean,
    axis=0,
    nan_policy="propagate",
    alternative="two-sided",
    *,
    keepdims=False,
):
    lines = Lines([a], axis, nan_policy, keepdims)
    (sample,) = lines.samples
    n = np.shape(sample)[-1]
    mean = np.mean(sample, axis=-1)
    if np.ndim(popmean):
        popmean = np.squeeze(popmean, 0 if axis is None else axis)
    error = np.sqrt(np.var(sample, axis=-1, ddof=1) / n)
    t = (mean - popmean) / error
    return t_result(lines, t, n - 1, alternative, error, mean)


def ttest_rel(
    a,
    b,
    axis=0,
    nan_policy="propagate",
    alternative="two-sided",
    *,
    keepdims=False,
):
    return ttest_1samp(a - b, 0.0, axis, nan_policy, alternative, keepdims=keepdims)


@silently
def ttest_ind(
    a,
    b,
    *,
    axis=0,
    equal_var=True,
    nan_policy="propagate",
    alternative="two-sided",
    trim=0,
    method=None,
    keepdims=False,
):
    if method is not None:
        refuse("ttest_ind with `method`", "it draws random numbers")
    if not 0 <= trim < 0.5:
        raise ValueError("Trimming percentage should be 0 <= `trim` < .5.")
    lines = Lines([a, b], axis, nan_policy, keepdims)
    a, b = lines.samples
    of_spread = pooled if equal_var else welch
    (v1, n1, mean1), (v2, n2, mean2) = trimmed(a, trim), trimmed(b, trim)
    df, error = of_spread(v1, n1, v2, n2)
    if not equal_var and min(n1, n2) == 1:  # there is no variance of one
        df, error = df * 0.0 + 1.0, error * np.nan
    apart = mean1 - mean2
    return t_result(lines, apart / error, df, alternative, error, apart)


@silently
def ttest_ind_from_stats(
    mean1, std1, nobs1, mean2, std2, nobs2, equal_var=True, alternative="two-sided"
):
    of_spread = pooled if equal_var else welch
    df, error = of_spread(std1 * std1, nobs1, std2 * std2, nobs2)
    t = (mean1 - mean2) / error
    return of_scipy.Ttest_indResult(t, t_chance(df, t, alternative))


# ----- Tests for the normal distribution -----
def skewness_score(skewness, n):
    if n < 8:
        return skewness * np.nan
    y = skewness * math.sqrt((n + 1) * (n + 3) / (6.0 * (n - 2)))
    beta2 = 3.0 * (n**2 + 27 * n - 70) * (n + 1) * (n + 3)
    beta2 = beta2 / ((n - 2.0) * (n + 5) * (n + 7) * (n + 9))
    root = math.sqrt(2.0 * (beta2 - 1.0)) - 1.0
    # An odd function: SciPy's logarithm, and its 1 for a 0, are this.
    scale = math.sqrt(2.0 / (root - 1.0))
    y = np.where(y == 0, 1.0, y) / scale
    return np.log(y + np.sqrt(y * y + 1.0)) / math.sqrt(0.5 * math.log(root))


@silently
def kurtosis_score(peakedness, n):
    if n < 5:
        return peakedness * np.nan
    expected = 3.0 * (n - 1) / (n + 1)
    spread = 24.0 * n * (n - 2) * (n - 3) / ((n + 1) * (n + 1.0) * (n + 3) * (n + 5))
    x = (peakedness - expected) / math.sqrt(spread)
    root = 6.0 * (n * n - 5 * n + 2) / ((n + 7) * (n + 9))
    root = root * math.sqrt(6.0 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)))
    a = 6.0 + 8.0 / root * (2.0 / root + math.sqrt(1 + 4.0 / root**2))
    below = 1.0 + x * math.sqrt(2.0 / (a - 4.0))
    third = np.cbrt((1.0 - 2.0 / a) / np.where(below == 0, np.nan, below))
    return (1.0 - 2.0 / (9.0 * a) - third) / math.sqrt(2.0 / (9.0 * a))


def scores(lines):
    (x,) = lines.samples
    n = np.shape(x)[-1]
    return (
        skewness_score(skew(x, axis=-1), n),
        kurtosis_score(kurtosis(x, axis=-1, fisher=False), n),
    )


def score_test(kind, number):
    def composed(
        a,
        axis=0,
        nan_policy="propagate",
        alternative="two-sided",
        *,
        keepdims=False,
    ):
        lines = Lines([a], axis, nan_policy, keepdims)
        z = scores(lines)[number]
        return kind(*lines.result([z, normal_chance(z, alternative)]))

    return composed


def normaltest(a, axis=0, nan_policy="propagate", *, keepdims=False):
    lines = Lines([a], axis, nan_policy, keepdims)
    s, k = scores(lines)
    both = s * s + k * k
    values = lines.result([both, special.chdtrc(2.0, both)])
    return of_scipy.NormaltestResult(*values)


def jarque_bera(x, *, axis=None, nan_policy="propagate", keepdims=False):
    lines = Lines([x], axis, nan_policy, keepdims)
    (x,) = lines.samples
    s, k = skew(x, axis=-1), kurtosis(x, axis=-1)
    statistic = np.shape(x)[-1] / 6.0 * (s * s + k * k / 4.0)
    values = lines.result([statistic, special.chdtrc(2.0, statistic)])
    return of_scipy.SignificanceResult(*values)


# ----- Tests of several samples -----
def grouped(compute, kind):
    """A test of any number of samples: a statistic and its p-value from ``compute``."""

    @silently
    def composed(*samples, axis=0, nan_policy="propagate", keepdims=False, **options):
        lines = Lines(samples, axis, nan_policy, keepdims)
        return kind(*lines.result(compute(lines.samples, **options)))

    return composed


def counts_of(samples):
    return [np.shape(sample)[-1] for sample in samples]


def total(parts):
    first, *others = parts
    return sum(others, first)


def between_and_within(samples):
    """F of the means of samples: how far apart they are, by how far what is in each."""
    counts = counts_of(samples)
    k, n = len(samples), sum(counts)
    means = [np.mean(sample, axis=-1, keepdims=True) for sample in samples]
    mean = total(count * m for count, m in zip(counts, means, strict=True)) / n
    apart = total(c * (m - mean) ** 2 for c, m in zip(counts, means, strict=True))
    inside = total(
        np.sum((sample - m) ** 2, axis=-1)
        for sample, m in zip(samples, means, strict=True)
    )
    f = (apart[..., 0] / (k - 1)) / (inside / (n - k))
    return f, special.fdtrc(k - 1.0, float(n - k), f)


def of_weighted_means(samples):
    """Welch's F: each sample has a variance of its own."""
    k = len(samples)
    means = np.stack([np.mean(sample, axis=-1) for sample in samples])
    counts = np.reshape(counts_of(samples), (-1,) + (1,) * (np.ndim(means) - 1))
    spreads = np.stack([np.var(sample, axis=-1, ddof=1) for sample in samples])
    weights = counts / spreads
    whole_weight = np.sum(weights, axis=0)
    mean = np.sum(weights * means, axis=0) / whole_weight
    apart = np.sum(weights * (means - mean) ** 2, axis=0) / (k - 1)
    spill = np.sum((1.0 - weights / whole_weight) ** 2 / (counts - 1), axis=0)
    f = apart / (1.0 + 2.0 * (k - 2) / (k**2 - 1) * spill)
    return f, special.fdtrc(k - 1.0, (k**2 - 1) / (3.0 * spill), f)


def of_one_way(samples, equal_var=True):
    return (between_and_within if equal_var else of_weighted_means)(samples)


def of_spreads(samples, center="median", proportiontocut=0.05):
    """Levene's test: the same, of distances from the middle."""
    middles = {
        "mean": lambda x: np.mean(x, axis=-1),
        "median": lambda x: np.median(x, axis=-1),
        "trimmed": lambda x: trim_mean(x, proportiontocut, axis=-1),
    }
    if center not in middles:
        raise ValueError("center must be 'mean', 'median' or 'trimmed'.")
    middle = middles[center]
    return between_and_within(
        [np.abs(sample - middle(sample)[..., None]) for sample in samples]
    )


def of_variances(samples):
    """Bartlett's test."""
    degrees = [n - 1.0 for n in counts_of(samples)]
    k, whole_df = len(samples), sum(degrees)
    spreads = [np.var(sample, axis=-1, ddof=1) for sample in samples]
    pairs = list(zip(degrees, spreads, strict=True))
    joint = total(df * v for df, v in pairs) / whole_df
    apart = whole_df * np.log(joint) - total(df * np.log(v) for df, v in pairs)
    scale = 1.0 + (sum(1.0 / df for df in degrees) - 1.0 / whole_df) / (3.0 * (k - 1))
    statistic = apart / scale
    return np.maximum(statistic, 0.0), special.chdtrc(k - 1.0, statistic)


def of_t_scores(samples):
    """The test of Alexander and Govern."""
    means = np.stack([np.mean(sample, axis=-1) for sample in samples])
    errors = np.stack([variance(x) / np.shape(x)[-1] for x in samples])
    mean = np.sum(means / errors, axis=0) / np.sum(1.0 / errors, axis=0)
    t = (means - mean) / np.sqrt(errors)
    v = np.reshape(counts_of(samples), (-1,) + (1,) * (np.ndim(means) - 1)) - 1.0
    a = v - 0.5
    b = 48.0 * a**2
    # SciPy's z, over its root c: z ** 2 is a function of c ** 2.
    c2 = a * np.log1p(t * t / v)
    tail = ((4.0 * c2 + 33.0) * c2 + 240.0) * c2 + 855.0
    tail = tail / (b**2 * 10.0 + 8.0 * b * c2**2 + 1000.0 * b)
    over = 1.0 + (c2 + 3.0) / b - tail
    statistic = np.sum(c2 * over * over, axis=0)
    return statistic, special.chdtrc(len(samples) - 1.0, statistic)


for _own in (ttest_1samp, ttest_rel, ttest_ind, ttest_ind_from_stats):
    defined_as(getattr(stats, _own.__name__), _own)
for _own in (normaltest, jarque_bera):
    defined_as(getattr(stats, _own.__name__), _own)
defined_as(stats.skewtest, score_test(of_scipy.SkewtestResult, 0))
defined_as(stats.kurtosistest, score_test(of_scipy.KurtosistestResult, 1))
for _name, _compute in (
    ("f_oneway", of_one_way),
    ("levene", of_spreads),
    ("bartlett", of_variances),
    ("alexandergovern", of_t_scores),
):
    _original = getattr(stats, _name)
    _kind = type(_original([1.0, 2.0, 4.0], [1.0, 3.0, 4.0]))
    defined_as(_original, grouped(_compute, _kind))
