"""Every sample of the chapter, and what is refused."""

import numpy as np
import pytest
from scipy import stats as of_scipy

import srcgrad
from srcgrad.scipy import stats
from tests.variables import variable


def test_the_last_share_may_be_left_out():
    x, alpha = np.array([0.2, 0.3]), np.array([1.0, 2.0, 3.0])
    found = stats.dirichlet.logpdf(x, variable(alpha))
    assert found.item() == pytest.approx(of_scipy.dirichlet.logpdf(x, alpha))


def test_covariances_that_have_no_rule():
    flat, x = np.diag([1.0, 0.0]), variable([1.0, 0.0])
    with pytest.raises(srcgrad.NoRuleError, match="rank jumps"):
        stats.multivariate_normal.logpdf(x, None, variable(flat), allow_singular=True)
    singular = of_scipy.Covariance.from_diagonal([1.0, 0.0])
    with pytest.raises(srcgrad.NoRuleError, match="allow_singular=True"):
        stats.multivariate_normal.logpdf(x, None, singular)
