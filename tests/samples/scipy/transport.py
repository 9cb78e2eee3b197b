"""Samples for the rules of ``srcgrad.rules.scipy.stats.transport``."""

import numpy as np
from scipy import stats

from srcgrad.rules.libraries import replacement_of
from tests.samples import S, positive


def of(*specs):
    reached = replacement_of(stats.wasserstein_distance_nd)
    return S(
        *(stats.wasserstein_distance_nd, *specs),
        call=lambda *args: reached(*map(np.real, args)),
        dtypes=(np.float64,),
        only_real=True,
    )


SAMPLES = [
    of((2, 2), (3, 2), positive(2), positive(3)),
    of((2, 2), (2, 2)),
    of((2,), (3,)),
]
