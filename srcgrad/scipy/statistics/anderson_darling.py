"""``scipy.stats.anderson``: how far data are from what is fitted to them.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import stats
>>> x = srcgrad.Variable(np.array([1.0, 2.0, 3.5, 7.0]), requires_grad=True)
>>> stats.anderson(x, "norm", method="interpolate").statistic.backward()
>>> bool(abs(x.grad.data.sum()) < 1e-12)  # all data may move together
True
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats

from srcgrad.protocols import raw_of
from srcgrad.rules.libraries import replacement_of
from srcgrad.scipy.optimization.implicit import solution
from srcgrad.scipy.parameters import Parameters, refuse
from srcgrad.scipy.replacing import replaces
from srcgrad.scipy.statistics.likelihoods import likeliest


def logistic_place(x: Any, found: Any) -> Any:
    """Reference and scale where SciPy's two equations hold."""

    def residual(both: Any, x: Any) -> Any:
        w = (x - both[0]) / both[1]
        odds = np.exp(w)
        first = np.sum(1.0 / (1.0 + odds)) - 0.5 * np.size(x)
        second = np.sum(w * (1.0 - odds) / (1.0 + odds)) + np.size(x)
        return np.stack([first, second])

    both = solution(residual, np.array(found), Parameters((x,)))
    return both[0], both[1]


# The parameters by the data, given what SciPy has found.
FITTED: dict[str, Callable[[Any, Any], Any]] = {
    "norm": lambda x, found: (np.mean(x), np.std(x, ddof=1)),
    "expon": lambda x, found: (0.0, np.mean(x)),
    "logistic": logistic_place,
    "gumbel_l": lambda x, found: likeliest(stats.gumbel_l, x, found, [0, 1]),
    "gumbel_r": lambda x, found: likeliest(stats.gumbel_r, x, found, [0, 1]),
    "weibull_min": lambda x, found: likeliest(stats.weibull_min, x, found, [0, 1, 2]),
}


def fit_of(x: Any, dist: str) -> Any:
    """SciPy's result with what it has fitted."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return stats.anderson(x, dist)


def distance(x: Any, name: str, params: Any) -> Any:
    y, n = np.sort(x), np.size(x)
    distribution = getattr(stats, name)
    below = replacement_of(distribution.logcdf)(y, *params)
    above = replacement_of(distribution.logsf)(y, *params)
    weights = (2.0 * np.arange(1, n + 1) - 1.0) / n
    return -n - np.sum(weights * (below + above[::-1]))


@replaces(stats.anderson)
def anderson(found: Any, x: Any, dist: str, method: Any) -> Any:
    """``scipy.stats.anderson``"""
    name = dist.lower()
    name = "gumbel_l" if name in ("extreme1", "gumbel") else name
    fitted = fit_of(raw_of(x), dist)
    fit = fitted.fit_result
    fit.params = type(fit.params)(*FITTED[name](x, tuple(fit.params)))
    statistic = distance(x, name, fit.params)
    levels, shares = fitted.critical_values, fitted.significance_level
    if method is None:
        return type(found)(statistic, levels, shares, fit_result=fit)
    if method != "interpolate":  # a share of what is drawn
        return type(found)(statistic, found.pvalue)
    if name == "weibull_min":
        refuse("stats.anderson", "by levels that follow the data: of `weibull_min`")
    return type(found)(statistic, np.interp(statistic, levels, shares / 100.0))
