"""Mixtures: the same as SciPy's, by weights, parameters and points."""

import functools

import numpy as np
import pytest
import scipy.stats

import srcgrad
from srcgrad.checking import gradgradcheck
from srcgrad.rules.libraries import replacement_of
from srcgrad.scipy import stats
from tests.variables import variable

WEIGHTS, X, P = np.array([0.3, 0.7]), np.array([-0.4, 0.8, 2.5]), np.array([0.1, 0.7])


def mixed(module, weights, mu, sigma):
    parts = module.Normal(mu=mu, sigma=sigma), module.Uniform(a=0.0, b=3.0)
    return module.Mixture(parts, weights=weights)


def test_mode():
    """SciPy finds it to some seven digits: the differences are wide."""

    def mode(module, share, mu, sigma):
        parts = module.Normal(mu=mu, sigma=1.0), module.Normal(mu=2.0, sigma=sigma)
        return module.Mixture(parts, weights=[share, 1.0 - share]).mode()

    given = np.array([0.4, 0.3, 1.5])
    sides = [mode(scipy.stats, *(given + h)) for h in 1e-3 * np.eye(3)]
    for i, h in enumerate(1e-3 * np.eye(3)):
        sides[i] = (sides[i] - mode(scipy.stats, *(given - h))) / 2e-3
    function = functools.partial(mode, stats)
    np.testing.assert_allclose(function(*given), mode(scipy.stats, *given), rtol=1e-7)
    found = srcgrad.grad(function, argnums=(0, 1, 2))(*given)
    np.testing.assert_allclose(found, sides, rtol=1e-4)
    assert gradgradcheck(function, tuple(given), eps=1e-3, rtol=1e-2)


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
