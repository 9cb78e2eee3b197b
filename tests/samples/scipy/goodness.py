"""Samples for the rules of ``srcgrad.rules.scipy.stats.goodness``."""

import numpy as np
from scipy import special, stats

from tests.samples import Constant, Made, positive
from tests.samples.scipy.hypotheses import of

NORMAL = Constant("norm")
TABLE = np.array([[2.0, 9.0], [8.0, 3.0]])
FAR_APART = Made(lambda rng, dtype: (TABLE + rng.uniform(size=(2, 2))).astype(dtype))


def chances_differ_once(function, *specs, **kwargs):
    """SciPy's density of the statistic has no formula."""
    return of(function, *specs, second_order=False, **kwargs)


SAMPLES = [
    of(stats.chi2_contingency, positive(2, 3)),
    of(stats.chi2_contingency, FAR_APART),
    chances_differ_once(stats.ks_1samp, (5,), Constant(special.ndtr)),
    chances_differ_once(
        stats.ks_1samp, (4, 2), Constant(special.ndtr), alternative="less"
    ),
    chances_differ_once(
        *(stats.kstest, (5,), NORMAL),
        args=Constant((0.2, 1.5)),
        method="asymp",
    ),
    of(stats.cramervonmises, (6,), NORMAL),
    of(stats.shapiro, (3,)),
    of(stats.shapiro, (6,)),
    of(stats.shapiro, (13,)),
    # Differences of its slope are noise.
    of(stats.epps_singleton_2samp, (9,), (8,), second_order=False),
]
