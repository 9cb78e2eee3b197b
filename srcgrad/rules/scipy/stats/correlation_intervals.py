"""``scipy.stats``: the confidence interval of Pearson's correlation, by Fisher's z."""

import math

import numpy as np
from scipy import special
from scipy.stats import _stats_py as of_scipy

from srcgrad.protocols import first_variable
from srcgrad.rules.libraries import LOOKING, REPLACEMENTS
from srcgrad.rules.scipy.stats.distributions import silently
from srcgrad.rules.scipy.without import refuse

Result = of_scipy.PearsonRResult
_original = Result.confidence_interval


@silently
def confidence_interval(self, confidence_level=0.95, method=None):
    """``pearsonr(...).confidence_interval``"""
    if first_variable((self.statistic, confidence_level)) is None:
        return _original(self, confidence_level, method)
    if method is not None:
        refuse(
            "pearsonr's confidence_interval with `method`", "it draws random numbers"
        )
    r, is_known = self.statistic, self._n > 3
    error = 1.0 / math.sqrt(self._n - 3) if is_known else np.inf
    is_one_sided = self._alternative != "two-sided"
    share = confidence_level if is_one_sided else 0.5 + confidence_level / 2
    apart = special.ndtri(share) * error
    low, high = -np.ones_like(r), np.ones_like(r)
    if is_known and self._alternative != "less":
        low = np.tanh(np.arctanh(r) - apart)
    if is_known and self._alternative != "greater":
        high = np.tanh(np.arctanh(r) + apart)
    return of_scipy.ConfidenceInterval(low=low[()], high=high[()])


REPLACEMENTS[_original] = confidence_interval
LOOKING.add(confidence_interval)
