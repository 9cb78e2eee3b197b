"""Mixtures: the same as SciPy's, by weights, parameters and points."""

import numpy as np
import pytest
import scipy.stats

import srcgrad
from srcgrad.checking import gradcheck, gradgradcheck
from srcgrad.rules.libraries import replacement_of
from srcgrad.scipy import stats
from tests.variables import variable

WEIGHTS, X, P = np.array([0.3, 0.7]), np.array([-0.4, 0.8, 2.5]), np.array([0.1, 0.7])
UNIFORM = scipy.stats.Uniform(a=0.0, b=3.0)
AT_POINTS = "pdf logpdf cdf logcdf ccdf logccdf".split()
WHOLE = "mean median variance standard_deviation skewness kurtosis".split()


def mixed(module, weights, mu, sigma):
    parts = module.Normal(mu=mu, sigma=sigma), module.Uniform(a=0.0, b=3.0)
    return module.Mixture(parts, weights=weights)


@pytest.mark.parametrize("name", [*AT_POINTS, "icdf", "iccdf", *WHOLE])
def test_every_method(name):
    asked = () if name in WHOLE else (P if name in ("icdf", "iccdf") else X,)

    def function(share, mu, sigma, *asked):
        weights = np.stack([share, 1.0 - share])
        return getattr(mixed(stats, weights, mu, sigma), name)(*asked)

    expected = getattr(mixed(scipy.stats, WEIGHTS, 0.2, 1.5), name)(*asked)
    given = np.array(0.3), np.array(0.2), np.array(1.5), *asked
    found = function(*map(variable, given))
    np.testing.assert_allclose(found.data, expected, rtol=1e-9)
    assert gradcheck(function, given)
    assert gradgradcheck(function, given)
    traced = srcgrad.trace(function)
    for shift in (0.0, 0.0, 0.1):
        moved = [variable(each + shift) for each in given]
        np.testing.assert_allclose(
            traced(*moved).data, function(*moved).data, rtol=1e-13
        )


@pytest.mark.parametrize("name", ["cdf", "logpdf", "icdf"])
def test_one_of_scipys_takes_variables(name):
    theirs = mixed(scipy.stats, WEIGHTS, 0.2, 1.5)
    asked = P if name == "icdf" else X
    found = replacement_of(getattr(theirs, name))(variable(asked))
    np.testing.assert_allclose(found.data, getattr(theirs, name)(asked), rtol=1e-9)
    assert found.requires_grad


def test_in_a_traced_function_of_plain_weights():
    @srcgrad.trace
    def density(mu, x):
        parts = [
            scipy.stats.Normal(mu=mu, sigma=1.0),
            scipy.stats.Uniform(a=0.0, b=3.0),
        ]
        return scipy.stats.Mixture(parts).logpdf(x)

    for mu in (0.2, 0.2, 0.7):
        found = density(variable(mu), variable(X)).data
        expected = mixed(scipy.stats, np.array([0.5, 0.5]), mu, 1.0).logpdf(X)
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_what_is_refused():
    made = mixed(stats, variable(WEIGHTS), 0.2, 1.5)
    with pytest.raises(srcgrad.NoRuleError, match="'entropy' of a Mixture"):
        made.entropy()
    with pytest.raises(ValueError, match=r"sum to 1\.0"):
        mixed(stats, variable(WEIGHTS + 1.0), 0.2, 1.5)
