"""Rules for ``scipy.stats``: what sorts, cuts or counts the data, distances of samples.

Between ties and the edges of what is cut these are smooth.
"""

import numpy as np
from scipy import stats

from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.registry import defconstant
from srcgrad.rules.scipy.scipy_sources import as_in_scipy, in_doubles

as_in_scipy(
    stats,
    "trimboth trim1 trim_mean sigmaclip tmin tmax median_abs_deviation quantile "
    "scoreatpercentile lmoment differential_entropy wasserstein_distance "
    "energy_distance",
)
defined_as(stats.obrientransform, in_doubles(stats.obrientransform))


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


defined_as(stats.expectile, expectile)
