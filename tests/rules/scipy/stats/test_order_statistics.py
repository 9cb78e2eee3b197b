"""Every sample of the chapter, and what is refused."""

import numpy as np
import pytest
import scipy.stats

from srcgrad.checking import gradcheck
from srcgrad.scipy import stats
from tests.variables import variable


@pytest.mark.parametrize(
    "call",
    [
        lambda x: stats.quantile(x, [0.2, 0.4]),
        lambda x: stats.quantile(x, 0.2, nan_policy="omit"),
        lambda x: stats.quantile(x, 0.3, method="harrell-davis"),
        lambda x: stats.lmoment(x, 3, keepdims=True),
    ],
)
def test_of_several_shares_and_in_other_ways(call):
    assert gradcheck(call, (np.array([1.0, 4.0, 2.0, 8.0]),))


@pytest.mark.parametrize("name", ["tmin", "tmax"])
def test_limits(name):
    x = np.array([[0.0, 2.0], [1.0, 5.0]])
    for limit, inclusive in ((1.0, True), (1.0, False), (3.0, True)):
        found = getattr(stats, name)(variable(x), limit, inclusive=inclusive)
        expected = getattr(scipy.stats, name)(x, limit, inclusive=inclusive)
        np.testing.assert_array_equal(found.data, expected)
    with pytest.raises(ValueError, match="No array values within"):
        getattr(stats, name)(variable(x), 9.0 if name == "tmin" else -9.0)
