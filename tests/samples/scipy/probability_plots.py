"""Samples for the rules of ``srcgrad.rules.scipy.stats.probability_plots``."""

import numpy as np
from scipy import stats

from srcgrad.pytree import flatten
from srcgrad.rules.libraries import replacement_of
from tests.samples import Constant, S, positive

DOUBLE = (np.float64,)


def of(function, *specs, **kwargs):
    def call(*args, **options):
        return tuple(flatten(replacement_of(function)(*args, **options))[0])

    name = function.__name__
    return S(
        *(function, *specs), call=call, dtypes=DOUBLE, only_real=True, id=name, **kwargs
    )


SAMPLES = [
    of(stats.probplot, (4,)),
    of(stats.boxcox_normplot, positive(4), Constant(0.0), Constant(1.0), N=2),
    of(stats.yeojohnson_normplot, (4,), Constant(0.0), Constant(1.0), N=2),
    of(stats.ppcc_plot, (4,), Constant(0.1), Constant(0.5), N=2),
    of(stats.bayes_mvs, (4,)),
]
