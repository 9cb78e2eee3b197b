"""Every sample of the chapter, functions of the user's own, and what is refused."""

import numpy as np
import pytest
import scipy.stats
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


def test_what_has_no_derivative():
    x = variable(np.arange(6.0) ** 1.5)
    for call in (
        lambda: stats.chi2_contingency(x, method=scipy.stats.PermutationMethod()),
        lambda: stats.kstest("norm", "norm", args=(x[0],)),
    ):
        with pytest.raises(srcgrad.NoRuleError):
            call()


def test_errors_are_scipys():
    with pytest.raises(ValueError, match="nonnegative"):
        stats.chi2_contingency(variable([[1.0, -1.0]]))
    with pytest.raises(ValueError, match="zero element"):
        stats.chi2_contingency(variable([[1.0, 0.0], [1.0, 0.0]]))
    with pytest.warns(RuntimeWarning, match="too small"):
        assert np.isnan(stats.shapiro(variable([1.0, 2.0])).statistic)


def test_one_row_says_nothing():
    found = stats.chi2_contingency(variable([[1.0, 2.0, 3.0]]))
    assert (found.statistic, found.pvalue, found.dof) == (0.0, 1.0, 0)


def test_two_samples_have_ranks_alone():
    x, y = variable([0.1, 0.5, 0.9]), np.array([0.2, 1.0, 2.0])
    found, expected = stats.kstest(x, y), scipy.stats.kstest(x.data, y)
    assert float(found.statistic) == expected.statistic
    other = stats.ks_1samp(x, special.ndtr, method="approx")
    assert other.pvalue.item() == pytest.approx(
        scipy.stats.ks_1samp(x.data, special.ndtr, method="approx").pvalue
    )
