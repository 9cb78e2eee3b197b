"""Every sample of the chapter, on all sides, and what is refused."""

import numpy as np
import pytest
import scipy.stats

import srcgrad
from srcgrad.scipy import stats
from tests.variables import variable


def test_every_count_and_side():
    for k in (0, 2, 5, 8, 10):
        for side in ("two-sided", "less", "greater"):
            for ours, theirs in (
                (stats.binomtest, scipy.stats.binomtest),
                (quantile(stats), quantile(scipy.stats)),
            ):
                found = ours(k, 10, variable(0.2), side)
                expected = theirs(k, 10, 0.2, side)
                assert type(found) is type(expected)
                assert found.statistic == expected.statistic
                chance = np.asarray(getattr(found.pvalue, "data", found.pvalue))
                assert chance == pytest.approx(expected.pvalue, rel=1e-12)


def quantile(module):
    x = np.arange(10.0)
    return lambda k, n, p, side: module.quantile_test(x, q=k, p=p, alternative=side)


def test_two_rates():
    for side in ("two-sided", "less", "greater"):
        args = (5, 9.0, 8, 11.0)
        found = stats.poisson_means_test(
            *args[:3], variable(11.0), diff=0.1, alternative=side
        )
        expected = scipy.stats.poisson_means_test(*args, diff=0.1, alternative=side)
        assert found.pvalue.item() == pytest.approx(expected.pvalue, rel=1e-12)
    assert stats.poisson_means_test(0, variable(9.0), 0, 11.0).pvalue == 1


def test_pairs_whose_spreads_differ():
    samples = np.array([1.0, 2.0, 4.0]), np.array([1.0, 3.0, 3.5])
    with pytest.raises(srcgrad.NoRuleError, match="studentized_range"):
        stats.tukey_hsd(*map(variable, samples), equal_var=False)


@pytest.mark.parametrize(
    "call",
    [
        lambda p: stats.binomtest(3, 2, p),
        lambda p: stats.binomtest(3, 5, p, "both"),
        lambda p: stats.quantile_test(np.arange(3.0), p=p, alternative="both"),
    ],
)
def test_errors_are_scipys(call):
    with pytest.raises(ValueError, match=r"must|not recognized"):
        call(variable(0.3))
