"""Rules for ``scipy.stats``: tests of counts by their rates; medians and all pairs.

The counts are constant between jumps. What a test says of them is smooth in the rate
that it compares them with.
"""

import math

import numpy as np
from scipy import special, stats
from scipy.stats import _binomtest, _hypotests, _morestats, _stats_py

from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.libraries import replacement_of
from srcgrad.rules.registry import defconstant
from srcgrad.rules.scipy.precision import doubles
from srcgrad.rules.scipy.stats.descriptive import whole
from srcgrad.rules.scipy.without import refuse


# ----- How many of so many -----
def share_up_to(k, n, p):
    """How likely no more than ``k`` of ``n`` are."""
    return np.where(np.less(k, 0), 0.0, special.bdtr(np.maximum(k, 0), n, p))


def share_from(k, n, p):
    return np.where(np.less_equal(k, 0), 1.0, special.bdtrc(np.maximum(k - 1, 0), n, p))


@dispatched
def as_unlikely(k, n, p):
    """How many counts on the other side of the mean are no more likely than ``k``."""
    middle = p * n
    if k < middle:
        counts = np.arange(math.ceil(middle), n + 1)
    else:
        counts = np.arange(0, math.floor(middle) + 1)
    bound = stats.binom.pmf(k, n, p) * (1.0 + 1e-7)
    return int(np.sum(stats.binom.pmf(counts, n, p) <= bound))


def binomtest(k, n, p=0.5, alternative="two-sided"):
    if not 0 <= k <= n or not 0 <= p <= 1:
        raise ValueError("`k` must be in [0, n], and `p` in [0, 1]")
    if alternative == "less":
        chance = share_up_to(k, n, p)
    elif alternative == "greater":
        chance = share_from(k, n, p)
    elif alternative != "two-sided":
        raise ValueError(f"alternative ('{alternative}') not recognized")
    elif k == p * n:
        chance = 1.0
    else:
        others = as_unlikely(k, n, p)
        if k < p * n:
            chance = share_up_to(k, n, p) + share_from(n - others + 1, n, p)
        else:
            chance = share_up_to(others - 1, n, p) + share_from(k, n, p)
        chance = np.minimum(chance, 1.0)
    return _binomtest.BinomTestResult(
        k=k, n=n, alternative=alternative, statistic=k / n, pvalue=chance
    )


def quantile_test(x, *, q=0, p=0.5, alternative="two-sided"):
    n = np.size(x)
    at_most, less = np.count_nonzero(x <= q), np.count_nonzero(x < q)
    greater, lesser = share_up_to(at_most, n, p), share_from(less, n, p)
    kind = {"less": 2, "greater": 1}.get(alternative)
    if alternative == "two-sided":
        kind = 1 if greater <= lesser else 2
        chance = np.minimum(2.0 * (greater if kind == 1 else lesser), 1.0)
    elif kind is None:
        raise ValueError("`alternative` must be 'two-sided', 'less' or 'greater'")
    else:
        chance = greater if kind == 1 else lesser
    return _stats_py.QuantileTestResult(
        statistic=at_most if kind == 1 else less,
        statistic_type=kind,
        pvalue=chance,
        _alternative=alternative,
        _x=x,
        _p=p,
    )


# ----- Two counts of rare events -----
@dispatched
def likely_counts(mean):
    """Those between which nearly all are."""
    low, high = stats.poisson.ppf([1e-10, 1.0 - 1e-16], mean)
    return np.arange(low, high + 1.0)


def poisson_mass(counts, mean):
    return np.exp(special.xlogy(counts, mean) - mean - special.gammaln(counts + 1.0))


def poisson_means_test(k1, n1, k2, n2, *, diff=0, alternative="two-sided"):
    _hypotests._poisson_means_test_iv(k1, n1, k2, n2, diff, alternative)
    n1, n2, diff = doubles(n1), doubles(n2), doubles(diff)
    rate = (k1 + k2) / (n1 + n2) - diff * n1 / (n1 + n2)
    if rate <= 0:
        return _stats_py.SignificanceResult(0, 1)

    def score(k1, k2):
        with np.errstate(divide="ignore", invalid="ignore"):
            return (k1 / n1 - k2 / n2 - diff) / np.sqrt(k1 / n1**2 + k2 / n2**2)

    statistic = score(k1, k2)
    means = n1 * (rate + diff), n2 * rate
    first, second = likely_counts(means[0]), likely_counts(means[1])[:, None]
    scores = score(first, second)
    if alternative == "two-sided":
        is_as_far = np.abs(scores) >= np.abs(statistic)
    else:
        is_less = alternative == "less"
        is_as_far = scores <= statistic if is_less else scores >= statistic
    both = poisson_mass(first, means[0]) * poisson_mass(second, means[1])
    chance = np.sum(np.where(is_as_far, both, 0.0))
    return _stats_py.SignificanceResult(statistic, chance)


# ----- Medians, and all pairs of means -----
@dispatched
def median_counts(ties, correction, lambda_, *samples):
    found = stats.median_test(
        *samples, ties=ties, correction=correction, lambda_=lambda_
    )
    return found.statistic, found.pvalue, found.table


def median_test(
    *samples, ties="below", correction=True, lambda_=1, nan_policy="propagate"
):
    whole(nan_policy)
    statistic, chance, table = median_counts(ties, correction, lambda_, *samples)
    median = np.median(np.concatenate(samples))
    return _morestats.MedianTestResult(statistic, chance, median, table)


def tukey_hsd(*args, equal_var=True):
    if not equal_var:
        refuse(
            "tukey_hsd with equal_var=False",
            "by its degrees of freedom studentized_range has none",
        )
    counts = np.array([float(np.size(sample)) for sample in args])
    means = np.stack([np.mean(sample) for sample in args])
    spreads = np.stack([np.var(sample, ddof=1) for sample in args])
    k, df = len(args), np.sum(counts) - len(args)
    inside = np.sum(spreads * (counts - 1.0)) / df
    error = np.sqrt(0.5 * inside * (1.0 / counts + 1.0 / counts[:, None]))
    apart = means[:, None] - means
    chances = replacement_of(stats.studentized_range.sf)(np.abs(apart) / error, k, df)
    return _hypotests.TukeyHSDResult(apart, chances, k, df, error)


for _constant in (as_unlikely, likely_counts, median_counts):
    defconstant(_constant)
    declare(_constant, raises=True, shape_by_value=_constant is likely_counts)
for _own in (binomtest, quantile_test, poisson_means_test, median_test, tukey_hsd):
    defined_as(getattr(stats, _own.__name__), _own)
