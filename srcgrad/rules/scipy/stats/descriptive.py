"""Rules for ``scipy.stats``: means, moments, scores, circular statistics, Box-Cox."""

import numpy as np
from scipy import special, stats

from srcgrad.rules.scipy.scipy_sources import as_in_scipy, copied, instead_of

as_in_scipy(
    stats,
    "gmean hmean pmean tmean tvar tstd tsem moment skew kurtosis sem variation gstd "
    "kstat kstatvar describe iqr circmean circvar circstd directional_stats entropy "
    "zmap zscore gzscore boxcox yeojohnson boxcox_llf yeojohnson_llf",
)


def pmean(a, p, *, axis=0, dtype=None, weights=None):
    """Of one sample, smooth in ``p`` where that is 0."""
    if isinstance(p, (int, float)):
        plain = copied(stats.pmean.__wrapped__)
        return plain(a, p, axis=axis, dtype=dtype, weights=weights)
    if p == 0:
        logs = np.average(special.boxcox(a, p), axis=axis, weights=weights)
        return special.inv_boxcox(logs, p)
    powers = np.where(a < 0.0, np.nan, a) ** p
    return np.average(powers, axis=axis, weights=weights) ** (1.0 / p)


instead_of(stats.pmean.__wrapped__, pmean)
