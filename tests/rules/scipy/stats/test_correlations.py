"""Every sample of the chapter, and what is refused."""

import numpy as np
import pytest
import scipy.stats

import srcgrad
from srcgrad.checking import gradcheck
from srcgrad.protocols import raw_of
from srcgrad.scipy import stats
from tests.variables import variable


def test_two_points_are_on_a_line():
    x, y = np.array([1.0, 3.0]), np.array([2.0, 5.0])
    for name in ("pearsonr", "linregress"):
        found = getattr(stats, name)(variable(x), y)
        expected = getattr(scipy.stats, name)(x, y)
        np.testing.assert_allclose([raw_of(item) for item in found], expected)


def test_ties():
    x, y = np.array([1.0, 2.0, 2.0, 4.0, 5.0]), np.array([1.0, 1.0, 3.0, 2.0, 7.0])
    for name in ("theilslopes", "siegelslopes"):
        found = getattr(stats, name)(y, variable(x))
        expected = getattr(scipy.stats, name)(y, x)
        np.testing.assert_allclose([item.item() for item in found], expected)


def test_sums_that_do_not_agree():
    with pytest.raises(ValueError, match="must agree"):
        stats.chisquare(variable([1.0, 2.0]), np.array([2.0, 3.0]))


@pytest.mark.parametrize("order", [-1.0, 0.0, 1.0])
def test_divergence_by_an_order_where_its_formula_is_another(order):
    counts = np.array([3.0, 4.0, 5.0])

    def statistic(x, order):
        return stats.power_divergence(x, lambda_=order)[0]

    found = statistic(variable(counts), variable(order))
    expected = scipy.stats.power_divergence(counts, lambda_=order)[0]
    np.testing.assert_allclose(found.data, expected)
    # Not by the counts: some formulas differ where the sums do.
    by_order = [variable(order)]
    assert gradcheck(lambda order: statistic(counts, order), by_order, eps=1e-4)


def test_what_has_no_derivative():
    x = variable(np.arange(4.0))
    with pytest.raises(srcgrad.NoRuleError):
        stats.pearsonr(x, x, method=scipy.stats.PermutationMethod())
