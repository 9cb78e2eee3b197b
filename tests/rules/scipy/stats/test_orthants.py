"""Every sample of the chapter, and more dimensions than samples are quick in."""

import numpy as np
import pytest
import scipy.stats

from srcgrad.scipy import stats
from tests.variables import variable


def test_three_dimensions():
    """By equal correlations of a half: each orthant's share is known."""
    cov = variable(0.5 * (np.eye(3) + 1.0))
    out = stats.multivariate_normal.cdf(np.zeros(3), None, cov, abseps=1e-8)
    assert out.item() == pytest.approx(0.25, abs=1e-6)
    out.backward()
    # By a correlation r of three: 3 / (4 pi sqrt(1 - r ** 2)) if all change.
    apart = 1.0 - np.eye(3)
    expected = 3.0 / (4.0 * np.pi * np.sqrt(0.75))
    assert np.sum(cov.grad.data * apart) == pytest.approx(expected, abs=1e-6)


def test_the_same_numbers_are_drawn():
    x, cov = np.array([0.3, -0.2, 0.1]), np.eye(3) + 0.2
    np.random.seed(3)
    expected = scipy.stats.multivariate_normal.cdf(x, None, cov), np.random.random()
    np.random.seed(3)
    out = stats.multivariate_normal.cdf(variable(x), None, cov)
    out.backward()
    assert (out.item(), np.random.random()) == expected
