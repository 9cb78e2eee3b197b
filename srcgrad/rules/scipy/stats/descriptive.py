"""Rules for ``scipy.stats``: means, moments, scores, circular statistics, Box-Cox."""

import numpy as np
from scipy import special, stats

from srcgrad.rules.compositions import defined_as
from srcgrad.rules.scipy.scipy_sources import as_in_scipy, copied, instead_of

as_in_scipy(
    stats,
    "gmean hmean pmean tmean tvar tstd tsem moment skew kurtosis sem variation gstd "
    "kstat kstatvar describe iqr circmean circvar circstd directional_stats entropy "
    "boxcox yeojohnson boxcox_llf yeojohnson_llf",
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


# ----- Scores -----
POLICIES = "propagate", "omit", "raise"


def nan_is_absent(samples, nan_policy):
    """Whether a statistic of all of the data is meant; SciPy's errors."""
    if nan_policy not in POLICIES:
        raise ValueError("nan_policy must be one of {'propagate', 'raise', 'omit'}")
    if nan_policy == "propagate" or not any(np.any(np.isnan(x)) for x in samples):
        return True
    if nan_policy == "raise":
        raise ValueError("The input contains nan values")
    return False


def zmap(scores, compare, axis=0, ddof=0, nan_policy="propagate"):
    is_whole = nan_is_absent([compare], nan_policy)
    mean, std = (np.mean, np.std) if is_whole else (np.nanmean, np.nanstd)
    middle = mean(compare, axis=axis, keepdims=True)
    spread = std(compare, axis=axis, ddof=ddof, keepdims=True)
    if scores is compare:  # equal numbers, but for the rounding of their mean
        is_none = spread <= np.abs(np.finfo(spread.dtype).eps * middle)
        spread = np.where(is_none, np.nan, spread)
    if nan_policy != "omit":
        return (scores - middle) / spread
    is_nan = np.isnan(scores)  # no part of the gradient of the others
    return np.where(is_nan, np.nan, (np.where(is_nan, 0.0, scores) - middle) / spread)


def zscore(a, axis=0, ddof=0, nan_policy="propagate"):
    return zmap(a, a, axis, ddof, nan_policy)


def gzscore(a, *, axis=0, ddof=0, nan_policy="propagate"):
    is_nan = np.isnan(a) if nan_policy == "omit" else False
    logs = np.where(is_nan, np.nan, np.log(np.where(is_nan, 1.0, a)))
    return zscore(logs, axis, ddof, nan_policy)


for _own in (zmap, zscore, gzscore):
    defined_as(getattr(stats, _own.__name__), _own)
