"""Every sample of the chapter, and what is refused."""

import numpy as np
import pytest
import scipy.stats

import srcgrad
from srcgrad.scipy import stats
from tests.variables import variable


def test_a_result_is_one_of_scipys():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 6))
    found, expected = stats.ttest_ind(variable(a), b), scipy.stats.ttest_ind(a, b)
    assert type(found) is type(expected)
    assert found.df == expected.df
    ours, theirs = found.confidence_interval(0.9), expected.confidence_interval(0.9)
    assert ours.low.item() == pytest.approx(theirs.low)
    assert ours.high.item() == pytest.approx(theirs.high)
    ours.high.backward()


def test_samples_of_several_shapes():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(4, 3)), rng.normal(size=3)
    found = stats.ttest_ind(variable(a), b, axis=1)
    expected = scipy.stats.ttest_ind(a, b, axis=1)
    np.testing.assert_allclose(found.pvalue.data, expected.pvalue)


def test_ranks_have_no_gradient():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 6))
    found, expected = stats.spearmanr(variable(a), b), scipy.stats.spearmanr(a, b)
    assert found.statistic.item() == expected.statistic
    assert not found.pvalue.requires_grad
    assert found.correlation == expected.correlation


def test_what_has_no_derivative():
    x = variable(np.arange(4.0))
    for call in (
        lambda: stats.ttest_ind(x, x, method=scipy.stats.PermutationMethod()),
        lambda: stats.ttest_ind(x, x, method=scipy.stats.MonteCarloMethod()),
    ):
        with pytest.raises(srcgrad.NoRuleError):
            call()


def test_two_numbers_say_nothing_of_kurtosis():
    with pytest.warns(RuntimeWarning, match="too small"):
        assert np.isnan(stats.kurtosistest(variable(np.arange(3.0))).statistic)
