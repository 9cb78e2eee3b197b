"""Samples for the rules of ``srcgrad.rules.scipy.stats.distributions``.

All of SciPy's distributions are tried in ``tests/rules/scipy/test_distributions.py``.
"""

import numpy as np
from scipy import stats

from srcgrad.rules.libraries import replacement_of
from srcgrad.rules.scipy.stats.distributions import standard
from tests.samples import Constant, S, positive, within

Continuous, Discrete = stats.rv_continuous, stats.rv_discrete
DOUBLE = (np.float64,)
SHARE = within(0.1, 0.9, 4)
COUNTED = Constant(np.arange(4))


def method(distribution, name):
    """What stands for a method; results that are several are one array of them."""
    function = getattr(distribution, name)
    if name in ("stats", "interval", "support"):
        return lambda *args: np.stack(replacement_of(function)(*args))
    return lambda *args: replacement_of(function)(*args)


def of(name, distribution, *specs, **kwargs):
    """A method of a distribution, by its point, its shapes, ``loc`` and ``scale``."""
    return S(
        getattr(Discrete if hasattr(distribution, "pmf") else Continuous, name),
        *specs,
        call=method(distribution, name),
        dtypes=DOUBLE,
        only_real=True,
        id=f"{distribution.name}-{name}",
        **kwargs,
    )


SAMPLES = [
    of("logpdf", stats.norm, (4,), (4,), positive(1)),
    of("pdf", stats.norm, (2, 4), (4,), positive(2, 1)),
    of("logpdf", stats.t, (4,), positive(4), (4,), positive(4)),
    of("logpdf", stats.gamma, positive(4), positive(4), Constant(0.0), positive(4)),
    of("pdf", stats.beta, SHARE, positive(4), positive(4)),
    of("cdf", stats.norm, (4,), (4,), positive(4)),
    of("sf", stats.gamma, positive(4), Constant(2.5), Constant(0.0), positive(4)),
    of("logcdf", stats.t, (4,), Constant(2.5)),
    of("logsf", stats.norm, (4,), (4,), positive(4)),
    of("cdf", stats.weibull_min, positive(4), positive(4)),
    of("cdf", stats.gamma, positive(4), positive(4), (4,), positive(4)),
    of("logsf", stats.beta, SHARE, positive(4), positive(4)),
    of("ppf", stats.norm, SHARE, (4,), positive(4)),
    of("isf", stats.gamma, SHARE, Constant(2.5), (4,), positive(4)),
    of("ppf", stats.weibull_min, SHARE, positive(4)),
    of("logpmf", stats.poisson, COUNTED, positive(4)),
    of("pmf", stats.binom, COUNTED, Constant(5), SHARE),
    of("cdf", stats.poisson, COUNTED, positive(4)),
    of("sf", stats.geom, COUNTED, SHARE),
    of("logcdf", stats.nbinom, COUNTED, positive(4), SHARE),
    of("logsf", stats.binom, COUNTED, Constant(5), SHARE),
    of("stats", stats.gamma, positive(4), (4,), positive()),
    of("mean", stats.beta, positive(4), positive(4)),
    of("var", stats.gamma, positive(4), (4,), positive(4)),
    of("std", stats.norm, (4,), positive(4)),
    of("entropy", stats.norm, (4,), positive(4)),
    of("moment", stats.norm, Constant(4), (4,), positive(4)),
    of("moment", stats.gamma, Constant(3), positive(4), (4,), positive(4)),
    of("moment", stats.chi2, Constant(3), positive(4), (4,), positive(4)),
    of("support", stats.uniform, (4,), positive(4)),
    of("median", stats.norm, (4,), positive(4)),
    of("interval", stats.norm, Constant(0.8), (4,), positive(4)),
    S(standard, (4,), call=lambda y: standard(stats.norm, "cdf", y), only_real=True),
]
