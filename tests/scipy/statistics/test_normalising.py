"""Exponents that are found, against their own differences, and in traced functions."""

import inspect

import numpy as np
import pytest
import scipy.stats

import srcgrad
from srcgrad.scipy import stats
from srcgrad.scipy.statistics.normalising import straightness
from tests.variables import variable

X = np.array([0.4, 1.0, 2.2, 4.0, 9.0])


def exact(objective, x, low=-3.0, high=3.0):
    """Where the objective is largest, to the last places: its slope changes sign."""
    slope = srcgrad.grad(objective)
    return scipy.optimize.brentq(lambda at: float(slope(at, x)), low, high, xtol=1e-15)


@pytest.mark.parametrize(
    ("find", "objective"),
    [
        (lambda x: stats.boxcox_normmax(x, method="mle"), stats.boxcox_llf),
        (lambda x: stats.boxcox_normmax(x, method="pearsonr"), straightness),
        (lambda x: stats.boxcox_normmax(x, method="all")[1], stats.boxcox_llf),
        (lambda x: stats.boxcox(x)[1], stats.boxcox_llf),
        (lambda x: stats.yeojohnson_normmax(x), stats.yeojohnson_llf),
        (lambda x: stats.yeojohnson(x)[1], stats.yeojohnson_llf),
    ],
)
def test_against_differences(find, objective):
    x = variable(X)
    find(x).sum().backward()
    step = 1e-5
    for number in range(len(X)):
        unit = step * np.eye(len(X))[number]
        ends = (exact(objective, X + sign * unit) for sign in (1.0, -1.0))
        difference = np.subtract(*ends) / (2.0 * step)
        assert x.grad.data[number] == pytest.approx(difference, rel=1e-5, abs=1e-7)


def test_values_are_scipys():
    (ours, place), (theirs, expected) = stats.boxcox(variable(X)), scipy.stats.boxcox(X)
    np.testing.assert_allclose(ours.data, theirs)
    assert place.item() == pytest.approx(expected)
    assert stats.boxcox_normmax(X) == scipy.stats.boxcox_normmax(X)
    given = stats.boxcox(variable(X), 0.5)
    np.testing.assert_allclose(given.data, scipy.stats.boxcox(X, 0.5))
    np.testing.assert_allclose(
        stats.yeojohnson(variable(X), 0.5).data, scipy.stats.yeojohnson(X, 0.5)
    )


def test_an_interval_is_refused():
    with pytest.raises(srcgrad.NoRuleError, match="interval"):
        stats.boxcox(variable(X), alpha=0.05)


def test_the_shape_of_the_straightest_plot():
    x = variable(X)
    found = stats.ppcc_max(x, brack=(-0.5, 0.5))
    assert found.item() == scipy.stats.ppcc_max(X, brack=(-0.5, 0.5))
    found.backward()
    unit = 1e-3 * np.eye(len(X))[1]
    ends = (
        scipy.stats.ppcc_max(X + sign * unit, brack=(-0.5, 0.5)) for sign in (1, -1)
    )
    assert x.grad.data[1] == pytest.approx(np.subtract(*ends) / 2e-3, rel=1e-3)


HAS_POLICIES = "nan_policy" in inspect.signature(scipy.stats.boxcox).parameters


@pytest.mark.skipif(not HAS_POLICIES, reason="before SciPy 1.18")
def test_a_policy_for_nan_is_scipys():
    x = np.append(X, np.nan)
    for policy in ("propagate", "omit"):
        ours = stats.boxcox(variable(x), nan_policy=policy)
        theirs = scipy.stats.boxcox(x, nan_policy=policy)
        for found, expected in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(srcgrad.stop_gradient(found), expected)
    for args in ((), (0.5,)):
        with pytest.raises(ValueError, match="contains nan"):
            stats.boxcox(variable(x), *args, nan_policy="raise")
