"""Every sample of the chapter, and functions of the user's own."""

import numpy as np
import pytest
from scipy import special

import srcgrad
from srcgrad.scipy import stats
from tests.variables import variable

SCALE = 1.0


def test_a_distribution_function_of_the_users_own():
    """What it reads is seen, so it may change between calls of a traced one."""
    global SCALE
    x = np.array([-0.5, 0.1, 0.9, 1.4])

    def statistic(x):
        return stats.cramervonmises(x, lambda x: special.ndtr(x * SCALE)).statistic

    traced = srcgrad.trace(statistic)
    for SCALE in (1.0, 1.0, 1.5, 1.5):  # noqa: B007
        found, expected = traced(variable(x)), statistic(variable(x))
        assert found.item() == pytest.approx(expected.item())


def test_too_few_numbers_say_nothing():
    for test, x in ((stats.shapiro, [1.0, 2.0]), (stats.kurtosistest, np.arange(3.0))):
        with pytest.warns(RuntimeWarning, match="too small"):
            assert np.isnan(test(variable(x)).statistic)
