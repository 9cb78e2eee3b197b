"""Samples for the rules of ``srcgrad.rules.scipy.stats.counted_tests``."""

import numpy as np
from scipy import stats

from tests.samples import Constant, within
from tests.samples.scipy.hypotheses import of

RATE = within(0.15, 0.25)
THREE, TEN = Constant(3), Constant(10)


SAMPLES = [
    of(stats.binomtest, THREE, TEN, RATE),
    of(stats.binomtest, Constant(1), TEN, RATE),
    of(stats.binomtest, THREE, TEN, RATE, alternative="greater"),
    of(stats.quantile_test, Constant(np.arange(6.0)), q=2.5, p=RATE),
    of(
        stats.poisson_means_test,
        *(THREE, within(9.0, 11.0), Constant(8), within(9.0, 11.0)),
    ),
    of(stats.median_test, (4,), (5,)),
    of(stats.tukey_hsd, (3,), (4,), second_order=False),
]
