"""Distribution functions of counts: right, or refused where that is stated."""

import numpy as np
import pytest
import scipy.stats

from srcgrad.scipy import stats
from tests.rules.scipy.stats.test_distributions import DISCRETE, NO_MASS, check
from tests.variables import variable

METHODS = ("cdf", "sf", "logcdf", "logsf")


@pytest.mark.parametrize(("name", "args"), DISCRETE)
@pytest.mark.parametrize("method", ["cdf", "logsf"])
def test_by_the_parameters(name, args, method):
    free = [i for i, arg in enumerate(args) if isinstance(arg, float)]
    k = np.unique(getattr(scipy.stats, name).ppf([0.2, 0.5], *args))

    def function(*values):
        own = list(args)
        for i, value in zip(free, values, strict=True):
            own[i] = value
        return getattr(getattr(stats, name), method)(k, *own)

    if free and np.all(np.isfinite(function(*(args[i] for i in free)))):
        check(function, [args[i] for i in free], name in NO_MASS)


@pytest.mark.parametrize("method", ["cdf", "sf", "logcdf", "logsf"])
def test_no_probability_above_one(method):
    k = np.array([-2.0, -1.0, 0.5, 3.7, 5.0, 9.0, np.nan])
    assert np.isnan(getattr(stats.binom, method)(k, 5, variable(1.5)).data).all()
