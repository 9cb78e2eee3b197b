"""Rules for ``scipy.stats.dunnett``: groups compared with a control.

Its chances are those of a vector of Student's distribution. By one bound the slope is
the density there, times the chance of the others, given that one.
"""

import math

import numpy as np
from scipy import special, stats
from scipy.stats import _multicomp

from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.rules.registry import defvjp
from srcgrad.rules.scipy.scipy_sources import as_in_scipy


@dispatched
def inside(low, high, rho, df):
    """How likely each coordinate is between its bounds."""
    return stats.multivariate_t.cdf(
        high, None, rho, df, lower_limit=low, random_state=np.random.default_rng(0)
    )


def box(low, high, rho, df):
    """The same of any dimension."""
    if len(rho) == 0:
        return 1.0
    if len(rho) > 1:
        return np.reshape(inside(low, high, rho, df), np.shape(high)[:1])
    below = 0.0 if low is None else special.stdtr(df, low[:, 0])
    return special.stdtr(df, high[:, 0]) - below


def edge(low, high, rho, df, own):
    """The density of one coordinate at its upper bound, with the others inside."""
    rest = [i for i in range(len(rho)) if i != own]
    pull, at = rho[rest, own], high[:, own]
    left = rho[np.ix_(rest, rest)] - np.outer(pull, pull)
    scale = np.sqrt(np.diag(left))
    spread = np.sqrt((df + at * at) / (df + 1.0))

    def given(bound):
        apart = bound[:, rest] - at[:, None] * pull
        return apart / (spread[:, None] * scale)

    log_density = math.lgamma((df + 1) / 2) - math.lgamma(df / 2)
    log_density = log_density - (df + 1) / 2 * np.log1p(at * at / df)
    density = np.exp(log_density) / math.sqrt(df * math.pi)
    low = None if low is None else given(low)
    return density * box(low, given(high), left / np.outer(scale, scale), df + 1)


def edges(low, high, rho, df):
    found = [edge(low, high, rho, df, own) for own in range(len(rho))]
    return np.stack(found, axis=-1)


def by_high(g, low, high, rho, df):
    return np.reshape(g, (-1, 1)) * edges(low, high, rho, df)


def by_low(g, low, high, rho, df):
    return -np.reshape(g, (-1, 1)) * edges(-high, -low, rho, df)


def by_statistic(g, statistic, rho, df, alternative):
    is_double = alternative == "two-sided"
    sign = -1.0 if alternative == "less" else 1.0
    sign = np.sign(statistic) if is_double else sign
    high = (sign * statistic)[:, None] * np.ones(len(rho))
    low = -high if is_double else None
    slope = np.sum(edges(low, high, rho, df), axis=-1)
    return -sign * g * slope * (2.0 if is_double else 1.0)


defvjp(_multicomp._pvalue_dunnett, statistic=by_statistic)
defvjp(inside, low=by_low, high=by_high)
for _drawing in (_multicomp._pvalue_dunnett, inside):
    declare(_drawing, effect="acts", raises=True)
as_in_scipy(stats, "dunnett")
