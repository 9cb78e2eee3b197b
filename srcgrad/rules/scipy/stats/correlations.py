"""Rules for ``scipy.stats``: correlations, lines through points, frequencies, p-values.

What is made of ranks alone is constant between jumps (``without.STEPS``).
"""

import numpy as np
from scipy import special, stats
from scipy.stats import _stats_mstats_common, _stats_py

from srcgrad.protocols import raw_of
from srcgrad.rules.scipy.scipy_sources import as_in_scipy, copied, instead_of

as_in_scipy(
    stats,
    "pointbiserialr linregress theilslopes siegelslopes power_divergence chisquare "
    "combine_pvalues false_discovery_control",
)
as_in_scipy(stats, "pearsonr", method="it draws random numbers")


def siegel(y, x, method):
    """The slope of one line, and where it starts."""
    apart = x[:, None] - x
    is_same = apart == 0

    def middle_of(rises):
        rows = np.where(is_same, np.nan, rises / np.where(is_same, 1.0, apart))
        return np.median(np.nanmedian(rows, axis=1))

    slope = middle_of(y[:, None] - y)
    if method == "separate":
        return slope, middle_of(y * x[:, None] - y[:, None] * x)
    return slope, np.median(y - slope * x)


def robust(y, *, x=None, alpha=None, method, pfun):
    """What both are from SciPy 1.18 on, of one line or many.

    SciPy divides by nan where a point is above another, and leaves out what that gives;
    the gradient would be nan all the same.
    """
    options = {"alpha": alpha, "method": method, "pfun": pfun}
    known = _correlation._robust_slopes(raw_of(y), x=raw_of(x), **options)
    x = np.arange(y.shape[-1], dtype=y.dtype) if x is None else x
    apart, rise = (v[..., :, None] - v[..., None, :] for v in (x, y))
    if pfun == "theilslopes":
        pairs = (..., *np.triu_indices(y.shape[-1], 1))
        apart, rise = apart[pairs], rise[pairs]
    is_same = apart == 0
    slopes = np.where(is_same, np.nan, rise / np.where(is_same, 1.0, apart))
    slope = np.nanmedian(slopes, axis=-1)
    if pfun == "siegelslopes":
        slope = np.median(slope, axis=-1)
    if method != "separate":
        start = np.median(y - slope[..., None] * x, axis=-1)
    elif pfun == "theilslopes":
        start = np.median(y, axis=-1) - slope * np.median(x, axis=-1)
    else:
        starts = y[..., :, None] - slopes * x[..., :, None]
        start = np.median(np.nanmedian(starts, axis=-1), axis=-1)
    return type(known)(slope, start, *(one_of(slopes, end) for end in known[2:]))


def one_of(slopes, value):
    """Those of the slopes, in rows, that have some values."""
    far = np.abs(raw_of(slopes) - np.asarray(value)[..., None])
    index = np.argmin(np.where(np.isnan(far), np.inf, far), axis=-1)
    found = np.take_along_axis(slopes, index[..., None], axis=-1)[..., 0]
    return np.where(np.isnan(value), np.nan, found)


if hasattr(_stats_mstats_common, "siegelslopes_pythran"):  # until SciPy 1.17
    instead_of(_stats_mstats_common.siegelslopes_pythran, siegel)
else:
    from scipy.stats import _correlation

    instead_of(_correlation._robust_slopes, robust)


# ----- Frequencies, smooth in an order that is a Variable -----
def divergence(f_obs, f_exp, order):
    """The terms of the power divergence, smooth in an order that is a Variable."""
    is_fixed = isinstance(order, (int, float))
    if order == 1 and is_fixed:
        return (f_obs - f_exp) ** 2 / f_exp
    if order == 0:
        if is_fixed:
            return 2.0 * special.xlogy(f_obs, f_obs / f_exp)
        return 2.0 / (order + 1.0) * times_power(f_obs, f_obs / f_exp, order)
    if order == -1:
        if is_fixed:
            return 2.0 * special.xlogy(f_exp, f_exp / f_obs)
        return 2.0 / order * times_power(f_exp, f_obs / f_exp, order + 1.0)
    terms = f_obs * ((f_obs / f_exp) ** order - 1.0)
    terms = terms / (0.5 * order * (order + 1.0))
    # What SciPy has for 1 differs where the sums of both do.
    return terms + (f_exp - f_obs) if order == 1 else terms


def times_power(x, ratio, order):
    """``x * (ratio ** order - 1) / order``, and its limit where the order is 0."""
    return x * special.boxcox(np.where(x == 0, 1.0, ratio), order)


def power_divergence(f_obs, f_exp, ddof, axis, lambda_, sum_check=True):
    """``_power_divergence``, which both functions call"""
    plain = copied(_stats_py._power_divergence)
    if lambda_ is None or isinstance(lambda_, (str, int, float)):
        return plain(f_obs, f_exp, ddof, axis, lambda_, sum_check)
    if f_exp is None:
        f_exp = np.mean(f_obs, axis=axis, keepdims=True)
    terms = divergence(f_obs, f_exp, lambda_)
    statistic = np.sum(terms, axis=axis)
    count = np.size(terms) if axis is None else np.shape(terms)[axis]
    chance = special.chdtrc(count - 1.0 - ddof, statistic)
    return _stats_py.Power_divergenceResult(statistic, chance)


instead_of(_stats_py._power_divergence, power_divergence)
