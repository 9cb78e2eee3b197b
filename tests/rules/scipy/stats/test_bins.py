"""Every sample of the chapter, empty bins, and what is refused."""

import numpy as np
import pytest
import scipy.stats

import srcgrad
from srcgrad.scipy import stats
from tests.variables import variable

X, VALUES = np.array([0.1, 0.4, 0.7, 2.5]), np.array([1.0, 3.0, -1.0, 2.0])


@pytest.mark.parametrize("name", ["mean", "std", "count", "sum", "median", "min"])
def test_empty_bins_are_scipys(name):
    found = stats.binned_statistic(X, variable(VALUES), name, 4, (0.0, 2.0))
    expected = scipy.stats.binned_statistic(X, VALUES, name, 4, (0.0, 2.0))
    np.testing.assert_allclose(raw(found.statistic), expected.statistic)
    np.testing.assert_array_equal(found.binnumber, expected.binnumber)
    again = stats.binned_statistic_dd(
        [X], variable(VALUES), name, binned_statistic_result=with_edges(expected)
    )
    np.testing.assert_allclose(raw(again.statistic), expected.statistic)


def with_edges(found):
    return scipy.stats._binned_statistic.BinnedStatisticddResult(
        found.statistic, [found.bin_edges], found.binnumber
    )


def raw(array):
    return getattr(array, "data", array)


def test_numbers_of_bins_in_a_plane():
    found, expected = (
        module.binned_statistic_2d(X, X, values, bins=2, expand_binnumbers=True)
        for module, values in ((stats, variable(VALUES)), (scipy.stats, VALUES))
    )
    np.testing.assert_array_equal(found.binnumber, expected.binnumber)
    np.testing.assert_allclose(found.statistic.data, expected.statistic)


def test_one_value_does_not_vary():
    values = variable(VALUES)
    stats.binned_statistic(X, values, "std", [0.0, 0.3, 3.0])[0].sum().backward()
    assert values.grad.data[0] == 0.0


def test_points_between_given_edges():
    x = variable(X)
    assert not stats.binned_statistic(x, VALUES, bins=[0.0, 1.0, 3.0])[0].requires_grad
    with pytest.raises(srcgrad.NoRuleError, match="give their edges"):
        stats.binned_statistic(x, VALUES)
    with pytest.raises(srcgrad.NoRuleError, match="on each bin"):
        stats.binned_statistic(X, variable(VALUES), np.ptp)


def test_frequencies_between_given_limits():
    weights = np.array([1.0, 2.0, 3.0, 4.0])
    found = stats.relfreq(variable(X), 2, (0.0, 1.0), variable(weights))
    expected = scipy.stats.relfreq(X, 2, (0.0, 1.0), weights)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(raw(ours), theirs)
