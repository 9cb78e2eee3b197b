"""``scipy.stats``: the confidence interval of Pearson's correlation, by Fisher's z."""

from scipy.stats import _stats_py as of_scipy

from srcgrad.protocols import first_variable
from srcgrad.rules.libraries import LOOKING, REPLACEMENTS
from srcgrad.rules.scipy.scipy_sources import on_variables
from srcgrad.rules.scipy.stats.distributions import silently
from srcgrad.rules.scipy.without import refuse

_original = of_scipy.PearsonRResult.confidence_interval
by_source = on_variables(_original)


@silently
def confidence_interval(self, confidence_level=0.95, method=None):
    """``pearsonr(...).confidence_interval``"""
    if first_variable((self.statistic, confidence_level)) is None:
        return _original(self, confidence_level, method)
    if method is not None:
        refuse(
            "pearsonr's confidence_interval with `method`", "it draws random numbers"
        )
    return by_source(self, confidence_level)


REPLACEMENTS[_original] = confidence_interval
LOOKING.add(confidence_interval)
