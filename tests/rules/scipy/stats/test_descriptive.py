"""Every sample of the chapter, and what is refused."""

import numpy as np
import pytest
import scipy.stats

from srcgrad.checking import gradcheck, gradgradcheck
from srcgrad.scipy import stats
from tests.variables import variable


def test_a_power_mean_is_smooth_in_a_power_of_zero():
    given = [variable([0.3, 0.7, 2.0]), variable(0.0)]
    assert gradcheck(stats.pmean, given, eps=1e-4)
    assert gradgradcheck(stats.pmean, given, eps=1e-4)


def test_a_statistic_of_too_few_is_nan():
    with np.errstate(all="ignore"):
        assert np.isnan(stats.kstat(variable([0.5, 1.0]), 3).data)


def test_moments_of_several_orders_and_data_without_nan():
    x = np.array([1.0, 2.0, 4.0, 8.0])
    assert gradcheck(lambda x: stats.moment(x, [1, 2, 3]), (x,))
    assert gradcheck(lambda x: stats.describe(x, nan_policy="omit")[2:], (x,))
    assert stats.gmean(variable(x), dtype=np.float32).dtype == np.float32


@pytest.mark.filterwarnings("ignore:Precision loss")
def test_scores_of_equal_numbers_are_nan():
    x = np.full((3, 2), 0.1)  # whose mean is not 0.1
    x[:, 1] = np.arange(3.0)
    with np.errstate(all="ignore"):
        expected = scipy.stats.zscore(x)
        assert np.isnan(expected[:, 0]).all()
        np.testing.assert_allclose(stats.zscore(variable(x)).data, expected)


@pytest.mark.parametrize("name", ["tmean", "tvar", "tstd", "tsem"])
def test_limits(name):
    x = np.array([[0.0, 2.0], [1.0, 5.0], [0.5, 9.0]])
    for options in (
        {"limits": (0.5, 6.0)},
        {"limits": (0.5, None), "inclusive": (False, True), "axis": 1},
        {"limits": (None, 5.0), "inclusive": (True, False), "axis": None},
        {"limits": (0.1, 2.5), "axis": 0, "keepdims": True},  # one alone, and none
    ):
        with np.errstate(all="ignore"):
            found = getattr(stats, name)(variable(x), **options)
            expected = getattr(scipy.stats, name)(x, **options)
        np.testing.assert_allclose(found.data, expected)
    with pytest.raises(ValueError, match="No array values within"):
        getattr(stats, name)(variable(x), (10.0, 20.0))


def test_a_number_that_is_missing_is_no_part_of_the_gradient_of_the_scores():
    x, whole = variable([0.5, np.nan, 1.0, 3.0]), variable([0.5, 1.0, 3.0])
    np.nansum(stats.zscore(x, nan_policy="omit") ** 3).backward()
    np.sum(stats.zscore(whole) ** 3).backward()
    np.testing.assert_allclose(x.grad.data[[0, 2, 3]], whole.grad.data)
    assert x.grad.data[1] == 0.0
