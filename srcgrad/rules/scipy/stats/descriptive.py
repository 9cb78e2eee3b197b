"""Rules for ``scipy.stats``: means, moments, scores, circular statistics, Box-Cox."""

import numpy as np
from scipy import special, stats

from srcgrad.rules.compositions import defined_as
from srcgrad.rules.scipy.scipy_sources import (
    as_in_scipy,
    copied,
    instead_of,
    on_variables,
)

as_in_scipy(
    stats,
    "gmean hmean pmean tmean tvar tstd tsem moment skew kurtosis sem variation gstd "
    "kstat kstatvar describe iqr circmean circvar circstd directional_stats entropy "
    "zscore boxcox yeojohnson boxcox_llf yeojohnson_llf",
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


# ----- Scores: numbers that are missing are no part of the gradient of the others -----
def zmap(scores, compare, axis=0, ddof=0, nan_policy="propagate"):
    if nan_policy != "omit":
        return on_variables(stats.zmap)(scores, compare, axis, ddof, nan_policy)
    middle = np.nanmean(compare, axis=axis, keepdims=True)
    spread = np.nanstd(compare, axis=axis, ddof=ddof, keepdims=True)
    if scores is compare:  # equal numbers, but for the rounding of their mean
        is_none = spread <= np.abs(np.finfo(spread.dtype).eps * middle)
        spread = np.where(is_none, np.nan, spread)
    is_nan = np.isnan(scores)
    return np.where(is_nan, np.nan, (np.where(is_nan, 0.0, scores) - middle) / spread)


def gzscore(a, *, axis=0, ddof=0, nan_policy="propagate"):
    is_nan = np.isnan(a) if nan_policy == "omit" else False
    logs = np.where(is_nan, np.nan, np.log(np.where(is_nan, 1.0, a)))
    return zmap(logs, logs, axis, ddof, nan_policy)


defined_as(stats.zmap, zmap)
defined_as(stats.gzscore, gzscore)
