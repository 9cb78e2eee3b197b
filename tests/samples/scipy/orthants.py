"""Samples for the rules of ``srcgrad.rules.scipy.stats.orthants``."""

import numpy as np
from scipy import stats

from srcgrad.rules.libraries import reaching, replacement_of
from srcgrad.rules.scipy.precision import doubles
from srcgrad.rules.scipy.stats.orthants import orthant
from tests.samples import S, positive
from tests.samples.scipy.linear_equations import definite

BOUNDS = {"maxpts": 10**6, "abseps": 1e-9, "releps": 1e-9, "rng": 0}


def of(function, name, *specs):
    """A call that draws the same numbers each time, of a symmetric matrix."""

    def call(x, *others):
        *others, cov = others
        cov = 0.5 * (cov + cov.T) if np.ndim(cov) == 2 else cov
        if name == "orthant":
            return reaching(orthant)(doubles(x), doubles(cov), *BOUNDS.values())
        method = replacement_of(getattr(stats.multivariate_normal, name))
        return method(x, *others, cov, **BOUNDS)

    return S(function, *specs, call=call, dtypes=(np.float64,), only_real=True)


KIND = type(stats.multivariate_normal)
SAMPLES = [
    of(orthant, "orthant", (2, 2), definite(2, 2)),
    of(orthant, "orthant", (3, 1, 2, 2), definite(2, 2)),
    of(KIND.cdf, "cdf", (2, 2), (2,), definite(2, 2)),
    of(KIND.cdf, "cdf", (3, 1, 2, 2), (2,), definite(2, 2)),
    of(KIND.cdf, "cdf", (3,), (), positive()),
    of(KIND.logcdf, "logcdf", (2,), (2,), positive(2)),
]
