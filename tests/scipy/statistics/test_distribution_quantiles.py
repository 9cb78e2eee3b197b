"""Quantiles by shape parameters."""

import numpy as np
import pytest
import scipy.stats

import srcgrad
from srcgrad.checking import gradcheck, gradgradcheck
from srcgrad.scipy import stats
from tests.variables import variable


def test_by_all_arguments():
    arrays = (
        np.array([0.2, 0.7]),
        np.array(2.5),
        np.array(0.8),
        *map(np.array, (1.0, 2.0)),
    )
    found = stats.beta.ppf(*map(variable, arrays))
    np.testing.assert_allclose(found.data, scipy.stats.beta.ppf(*arrays))
    assert gradcheck(stats.beta.ppf, arrays)
    assert gradgradcheck(stats.beta.ppf, arrays)


def test_the_ends_of_the_support():
    q, a = np.array([0.0, 1.0, 2.0, np.nan, 0.5]), variable(2.0)
    found = stats.beta.isf(q, a, 3.0)
    np.testing.assert_allclose(found.data, scipy.stats.beta.isf(q, 2.0, 3.0))
    found[4].backward()
    assert np.isfinite(a.grad.data)


def test_without_a_formula_the_call_is_an_error():
    with pytest.raises(srcgrad.NoRuleError, match=r"of irwinhall\.cdf"):
        stats.irwinhall.ppf(0.5, variable(2.0))


def test_scipys_own_where_there_are_no_variables():
    assert stats.gamma.ppf(0.5, 2.0) == scipy.stats.gamma.ppf(0.5, 2.0)


def test_frozen_distributions():
    a = variable(2.0)
    stats.gamma(a).ppf(0.5).backward()
    slope = scipy.stats.gamma.ppf(0.5, 2.0 + 1e-6) - scipy.stats.gamma.ppf(
        0.5, 2.0 - 1e-6
    )
    np.testing.assert_allclose(a.grad.data, slope / 2e-6, rtol=1e-6)
