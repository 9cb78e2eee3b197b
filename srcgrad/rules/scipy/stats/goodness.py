"""Rules for ``scipy.stats``: how well data fit a distribution, or each other.

Where SciPy cuts a series short the values are its own; the slopes are of the formulas.
"""

import math

import numpy as np
from scipy import special, stats
from scipy.stats._ansari_swilk_statistics import swilk

from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.registry import defconstant
from srcgrad.rules.scipy.scipy_sources import (
    as_in_scipy,
    in_doubles,
    instead_of,
    on_variables,
)
from srcgrad.rules.scipy.without import refuse
from srcgrad.valued import valued

for _calling in (stats.ks_1samp, stats.kstest, stats.cramervonmises):
    declare(_calling, calls=True, raises=True)
as_in_scipy(stats, "ks_1samp cramervonmises shapiro")
as_in_scipy(stats, "chi2_contingency", method="it draws random numbers")
defined_as(stats.epps_singleton_2samp, in_doubles(stats.epps_singleton_2samp))


def kstest(rvs, *args, **options):
    """``scipy.stats.kstest``"""
    if isinstance(rvs, str) or callable(rvs):
        refuse("kstest of random numbers", "draw them before")
    return on_variables(stats.kstest)(rvs, *args, **options)


defined_as(stats.kstest, kstest)


# ----- Shapiro's and Wilk's test for the normal distribution -----
@dispatched
def shapiro_values(y):
    """As SciPy has them, and the weights of the differences of opposite values."""
    weights = np.zeros(np.size(y) // 2)
    return (*swilk(np.array(y), weights, 0)[:2], weights)


defconstant(shapiro_values)
declare(shapiro_values, raises=True)


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


def shapiro(y, weights, init):
    """``swilk``, of data in order"""
    value, chance, weights = shapiro_values(y)
    spread = np.sum((y - np.mean(y)) ** 2)
    half = np.size(y) // 2
    w = np.sum(weights * (y[::-1][:half] - y[:half])) ** 2 / spread
    chance = valued(shapiro_chance(w, np.size(y)), chance)
    return valued(w, value), chance, 0


instead_of(swilk, shapiro)
