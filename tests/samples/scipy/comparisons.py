"""Samples for the rules of ``srcgrad.rules.scipy.stats.comparisons``."""

import numpy as np
from scipy import stats

from srcgrad.rules.libraries import replacement_of
from tests.samples import S


def compared(*samples, **options):
    rng = np.random.default_rng(0)
    *groups, control = (np.real(sample) for sample in samples)
    found = replacement_of(stats.dunnett)(*groups, control=control, rng=rng, **options)
    return found.statistic, found.pvalue


def of(*specs, **options):
    return S(
        *(stats.dunnett, *specs),
        call=compared,
        dtypes=(np.float64,),
        only_real=True,
        id="dunnett",
        **options,
    )


SAMPLES = [
    of((4,), (3,)),
    of((4,), (3,), (4,)),
    of((4,), (3,), (4,), alternative="less"),
    of((2,), (3,), (4,), alternative="greater"),
]
