"""Rules for ``scipy.stats``: tests of hypotheses.

What a test makes of ranks alone is constant between jumps (``without.STEPS``).
"""

import numpy as np
from scipy import stats
from scipy.stats import _stats_py

from srcgrad.rules.compositions import defined_as
from srcgrad.rules.scipy.scipy_sources import as_in_scipy, in_doubles, instead_of

as_in_scipy(
    stats,
    "ttest_1samp ttest_rel ttest_ind_from_stats skewtest kurtosistest normaltest "
    "jarque_bera f_oneway levene bartlett",
)
as_in_scipy(stats, "ttest_ind", method="it draws random numbers")
defined_as(stats.alexandergovern, in_doubles(stats.alexandergovern))


def t_result(statistic, pvalue, df, alternative, standard_error, estimate):
    """SciPy's result, whose intervals take the form of the statistic, not its value."""
    sides = np.ravel(alternative)
    sides = sides[np.isfinite(sides)]
    return _stats_py.TtestResult(
        statistic,
        pvalue,
        df=df,
        alternative=sides[0] if sides.size else np.nan,
        standard_error=standard_error,
        estimate=estimate,
        statistic_np=np.zeros(np.shape(statistic)),
        xp=np,
    )


instead_of(_stats_py.pack_TtestResult, t_result)
