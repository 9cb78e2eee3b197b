"""Samples for the rules of ``srcgrad.rules.scipy.stats.hypotheses``."""

import numpy as np
from scipy import stats

from srcgrad import Variable
from srcgrad.rules.libraries import replacement_of
from tests.samples import Constant, S, positive

ARRAYS = np.ndarray, np.generic, Variable


def of(function, *specs, **kwargs):
    """A test: what its result holds, as a tuple."""

    def call(*args, **options):
        # SciPy's own take complex numbers, of which there is no test.
        args = [np.real(a) if isinstance(a, ARRAYS) else a for a in args]
        result = replacement_of(function)(*args, **options)
        if not isinstance(result, tuple):
            return result.statistic, result.pvalue
        inside = vars(result).items() if hasattr(result, "__dict__") else ()
        rest = [item for key, item in inside if not key.startswith("_")]
        return (*result, *rest)

    name = function.__name__
    return S(
        function,
        *specs,
        call=call,
        dtypes=(np.float64,),
        only_real=True,
        id=name,
        **kwargs,
    )


SAMPLES = [
    of(stats.ttest_1samp, (5, 2), 0.5),
    of(stats.ttest_rel, (5,), (5,), alternative="less"),
    of(stats.ttest_ind, (5, 2), (4, 2), keepdims=True),
    of(stats.ttest_ind, (5,), (4,), equal_var=False, alternative="greater"),
    of(stats.ttest_ind, (9, 2), (7, 2), trim=0.2),
    of(
        stats.ttest_ind_from_stats,
        *((), positive(), Constant(5), (), positive(), Constant(4)),
    ),
    of(stats.skewtest, (8,)),
    of(stats.kurtosistest, (6, 2)),
    of(stats.normaltest, (8,)),
    of(stats.jarque_bera, (6,)),
    of(stats.f_oneway, (4, 2), (3, 2)),
    of(stats.f_oneway, (4,), (3,), (5,), equal_var=False),
    of(stats.levene, (5,), (3,)),
    of(stats.bartlett, positive(4), (5,)),
    of(stats.alexandergovern, (4,), (5,), (3,)),
]
