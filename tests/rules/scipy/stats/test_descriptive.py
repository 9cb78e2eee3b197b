"""Every sample of the chapter; scores."""

import numpy as np
import pytest
import scipy.stats

from srcgrad.scipy import stats
from tests.variables import variable


@pytest.mark.filterwarnings("ignore:Precision loss")
def test_scores_of_equal_numbers_are_nan():
    x = np.full((3, 2), 0.1)  # whose mean is not 0.1
    x[:, 1] = np.arange(3.0)
    with np.errstate(all="ignore"):
        expected = scipy.stats.zscore(x)
        assert np.isnan(expected[:, 0]).all()
        np.testing.assert_allclose(stats.zscore(variable(x)).data, expected)


def test_a_number_that_is_missing_is_no_part_of_the_gradient_of_the_scores():
    x, whole = variable([0.5, np.nan, 1.0, 3.0]), variable([0.5, 1.0, 3.0])
    np.nansum(stats.zscore(x, nan_policy="omit") ** 3).backward()
    np.sum(stats.zscore(whole) ** 3).backward()
    np.testing.assert_allclose(x.grad.data[[0, 2, 3]], whole.grad.data)
    assert x.grad.data[1] == 0.0
