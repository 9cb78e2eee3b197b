"""Every sample of the chapter, and what is refused."""

import numpy as np
import pytest
import scipy.stats

import srcgrad
from srcgrad.scipy import stats
from tests.variables import variable


def test_what_has_no_derivative():
    x = variable(np.arange(4.0))
    for call in (
        lambda: stats.quantile(x, [0.2, 0.4]),
        lambda: stats.quantile(x, 0.2, nan_policy="omit"),
        lambda: stats.lmoment(x[:2], 3),
        lambda: stats.obrientransform(x, x[1:]),
    ):
        with pytest.raises(srcgrad.NoRuleError):
            call()


@pytest.mark.parametrize("name", ["tmin", "tmax"])
def test_limits(name):
    x = np.array([[0.0, 2.0], [1.0, 5.0]])
    for limit, inclusive in ((1.0, True), (1.0, False), (3.0, True)):
        found = getattr(stats, name)(variable(x), limit, inclusive=inclusive)
        expected = getattr(scipy.stats, name)(x, limit, inclusive=inclusive)
        np.testing.assert_array_equal(found.data, expected)
    with pytest.raises(ValueError, match="No array values within"):
        getattr(stats, name)(variable(x), 9.0 if name == "tmin" else -9.0)
