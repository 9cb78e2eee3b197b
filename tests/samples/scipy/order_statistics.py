"""Samples for the rules of ``srcgrad.rules.scipy.stats.order_statistics``."""

from scipy import stats

from tests.samples import Constant, positive, within
from tests.samples.scipy.descriptive import of

SAMPLES = [
    of(stats.trim_mean, (4, 3), 0.26),
    of(stats.trimboth, (4, 3), 0.26, axis=1),
    of(stats.trim1, (5,), 0.26, "left"),
    of(stats.sigmaclip, (6,), 1.2, 1.2),
    of(stats.tmin, (4, 3)),
    of(stats.tmax, (6,), 1.0),
    of(stats.median_abs_deviation, (5, 2), scale="normal"),
    of(stats.scoreatpercentile, (5,), 30.0),
    of(stats.quantile, (5, 2), 0.3, keepdims=True),
    of(stats.expectile, (5,), within(0.1, 0.9)),
    of(stats.expectile, (5,), 0.7, weights=positive(5)),
    of(stats.lmoment, (5, 2)),
    of(stats.lmoment, (5,), 3, standardize=False),
    *(
        of(stats.differential_entropy, (6, 2), method=method)
        for method in ("van es", "vasicek", "ebrahimi", "correa")
    ),
    of(stats.obrientransform, (4,), (4,)),
    of(stats.wasserstein_distance, (3,), (4,)),
    of(stats.wasserstein_distance, (3,), (4,), positive(3), positive(4)),
    of(stats.energy_distance, (3,), (4,), positive(3), Constant(None)),
]
