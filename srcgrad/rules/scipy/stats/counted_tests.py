"""Rules for ``scipy.stats``: tests of counts by their rates; medians and all pairs.

The counts are constant between jumps. What a test says of them is smooth in the rate
that it compares them with.
"""

from scipy import stats

from srcgrad.rules.compositions import defined_as
from srcgrad.rules.scipy.scipy_sources import as_in_scipy, in_doubles, on_variables
from srcgrad.rules.scipy.without import refuse

as_in_scipy(stats, "binomtest quantile_test median_test")
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
