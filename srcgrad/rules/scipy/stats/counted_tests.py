"""Rules for ``scipy.stats``: tests of counts by their rates; medians and all pairs.

The counts are constant between jumps. What a test says of them is smooth in the rate
that it compares them with.
"""

import numpy as np
from scipy import special, stats
from scipy.stats import _binomtest

from srcgrad.rules.compositions import defined_as
from srcgrad.rules.reflections import reflected
from srcgrad.rules.scipy.scipy_sources import (
    CLASSES,
    as_in_scipy,
    in_doubles,
    instead_of,
    on_variables,
)
from srcgrad.rules.scipy.without import refuse

as_in_scipy(stats, "binomtest quantile_test median_test")


def binomial(name):
    """A function of the binomial distribution, whose ``n`` comes as a float."""
    own = getattr(reflected(stats.binom), name)
    return lambda k, n, p: own(k, np.asarray(n).astype(np.int64), p)


if hasattr(_binomtest, "_SimpleBinomial"):  # from SciPy 1.18 on
    CLASSES.add(_binomtest._SimpleBinomial)
    for _name in "pmf cdf sf ppf isf".split():
        instead_of(getattr(special._ufuncs, f"_binom_{_name}"), binomial(_name))
defined_as(stats.poisson_means_test, in_doubles(stats.poisson_means_test))


def tukey_hsd(*args, equal_var=True):
    """``scipy.stats.tukey_hsd``"""
    if not equal_var:
        refuse(
            "tukey_hsd with equal_var=False",
            "by its degrees of freedom studentized_range has none",
        )
    return on_variables(stats.tukey_hsd)(*args)


defined_as(stats.tukey_hsd, tukey_hsd)
