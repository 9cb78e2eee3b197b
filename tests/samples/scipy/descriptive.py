"""Samples for the rules of ``srcgrad.rules.scipy.stats.descriptive``."""

import numpy as np
from scipy import stats

from srcgrad.rules.libraries import replacement_of
from tests.samples import Draw, S, positive, within


def of(function, *specs, **options):
    return S(function, *specs, dtypes=(np.float64,), only_real=True, **options)


def of_real(name):
    """SciPy's own takes complex numbers, of which there is no likelihood."""

    def call(*args):
        return replacement_of(getattr(stats, name))(*map(np.real, args))

    return call


SAMPLES = [
    *(of(function, positive(4, 3)) for function in (stats.gmean, stats.hmean)),
    of(stats.gmean, positive(4, 3), axis=1, weights=positive(4, 3)),
    of(stats.hmean, positive(4), weights=positive(4), keepdims=True),
    of(stats.pmean, positive(4), 2.5),
    of(stats.pmean, positive(4), 0.0),
    of(stats.tmean, (4, 3)),
    of(stats.tmean, (4, 3), limits=(-1.1, 1.3), axis=(0, 1)),
    of(stats.tvar, (6, 2), limits=(-1.6, 1.7)),
    of(stats.tsem, (2, 6), limits=(None, 1.7), axis=1, keepdims=True),
    of(stats.skew, (3, 2, 2), axis=(0, 2)),
    of(stats.tvar, (4, 3)),
    of(stats.tstd, (4, 3), axis=1, ddof=0),
    of(stats.moment, (5,), 3),
    of(stats.moment, (5, 2), 2, axis=1, center=Draw(())),
    of(stats.skew, (5, 3)),
    of(stats.skew, (5, 3), axis=None, bias=False),
    of(stats.kurtosis, (5, 3)),
    of(stats.kurtosis, (5, 3), fisher=False, bias=False, keepdims=True),
    *(
        of(function, positive(4, 3))
        for function in (stats.sem, stats.variation, stats.gstd, stats.gzscore)
    ),
    of(stats.tsem, (4, 3)),
    *(of(stats.kstat, (5, 2), order, axis=0) for order in (2, 3, 4)),
    of(stats.kstatvar, (5,)),
    of(stats.describe, (5, 2)),
    of(
        stats.directional_stats,
        (3, 2),
        call=lambda x: vars(replacement_of(stats.directional_stats)(x)),
    ),
    of(stats.zscore, (4, 3), ddof=1),
    of(stats.zmap, (2, 3), (4, 3)),
    of(stats.iqr, (5,)),
    of(stats.iqr, (5, 3), axis=0, rng=(10, 80), scale="normal"),
    of(stats.circmean, within(0.5, 3.5, 5)),
    of(stats.circmean, (4, 3), high=2.0, low=-2.0, axis=0),
    of(stats.circvar, (5,)),
    of(stats.circstd, (4, 3), axis=1),
    of(stats.circstd, (5,), normalize=True),
    of(stats.entropy, positive(4, 3)),
    of(stats.entropy, positive(4), positive(4), base=2),
    of(stats.entropy, positive(4, 3), positive(4, 1)),
    of(stats.entropy, positive(4, 1), positive(3), axis=1),
    of(stats.boxcox, positive(4), positive()),
    of(stats.yeojohnson, (4,), within(0.3, 1.7)),
    of(stats.boxcox_llf, positive(), positive(5), call=of_real("boxcox_llf")),
    of(
        stats.yeojohnson_llf,
        *(within(0.3, 1.7), (5, 2)),
        call=of_real("yeojohnson_llf"),
    ),
]
