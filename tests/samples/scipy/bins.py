"""Samples for the rules of ``srcgrad.rules.scipy.stats.bins``."""

import numpy as np
from scipy import stats

from tests.samples import Constant, S, positive

DOUBLE = (np.float64,)
POINTS = Constant(np.array([0.1, 0.4, 0.5, 0.7, 1.2, 3.5]))
OTHERS = Constant(np.array([0.2, 1.0, 0.3, 2.0, 0.1, 0.9]))
EDGES = Constant([0.0, 0.45, 1.0, 2.0, 4.0])


def of(function, *specs, **kwargs):
    return S(function, *specs, dtypes=DOUBLE, only_real=True, **kwargs)


SAMPLES = [
    *(
        of(stats.binned_statistic, POINTS, (6,), Constant(name), EDGES)
        for name in ("mean", "std", "median", "max")
    ),
    of(stats.binned_statistic, POINTS, (2, 6), Constant("sum"), range=(0.0, 2.0)),
    of(stats.binned_statistic_2d, POINTS, OTHERS, (6,), bins=[[0.0, 0.6, 4.0]] * 2),
    of(
        stats.binned_statistic_dd,
        *(Constant([POINTS.value]), (6,), Constant("min"), Constant([EDGES.value])),
    ),
    of(stats.cumfreq, (6,), Constant(3)),
    of(stats.relfreq, POINTS, weights=positive(6), defaultreallimits=(0.0, 2.0)),
    of(stats.mode, (3, 2)),
    of(stats.mode, (4,), axis=None, keepdims=True),
]
