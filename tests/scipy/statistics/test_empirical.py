"""Empirical distribution functions: where their steps are."""

import numpy as np
import scipy.stats

from srcgrad.checking import gradcheck
from srcgrad.scipy import stats
from tests.variables import variable

X = np.array([0.3, 1.9, -0.7, 2.8, 0.4])


def test_steps_are_where_the_data_are():
    found, expected = stats.ecdf(variable(X)), scipy.stats.ecdf(X)
    for name in ("cdf", "sf"):
        ours, theirs = getattr(found, name), getattr(expected, name)
        np.testing.assert_array_equal(ours.quantiles.data, theirs.quantiles)
        np.testing.assert_array_equal(ours.probabilities, theirs.probabilities)
        np.testing.assert_array_equal(ours.evaluate(X), theirs.evaluate(X))
    assert gradcheck(lambda x: stats.ecdf(x).sf.quantiles ** 2, (X,))
