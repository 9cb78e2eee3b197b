"""Distribution functions of counts: right, or refused where that is stated."""

import numpy as np
import pytest
import scipy.stats

import srcgrad
from srcgrad.checking import gradgradcheck
from srcgrad.scipy import stats
from tests.rules.scipy.stats.test_distributions import DISCRETE, NO_MASS, check
from tests.variables import variable

METHODS = ("cdf", "sf", "logcdf", "logsf")


@pytest.mark.parametrize(("name", "args"), DISCRETE)
@pytest.mark.parametrize("method", ["cdf", "logsf"])
def test_by_the_parameters(name, args, method):
    free = [i for i, arg in enumerate(args) if isinstance(arg, float)]
    k = np.unique(getattr(scipy.stats, name).ppf([0.2, 0.5], *args))

    def function(*values):
        own = list(args)
        for i, value in zip(free, values, strict=True):
            own[i] = value
        return getattr(getattr(stats, name), method)(k, *own)

    if free and np.all(np.isfinite(function(*(args[i] for i in free)))):
        check(function, [args[i] for i in free], name in NO_MASS)


@pytest.mark.parametrize("method", METHODS)
def test_around_the_support(method):
    k = np.array([-2.0, -1.0, 0.5, 3.7, 5.0, 9.0, np.nan])
    found = getattr(stats.binom, method)(k, 5, variable(0.3))
    expected = getattr(scipy.stats.binom, method)(k, 5, 0.3)
    np.testing.assert_allclose(found.data, expected, rtol=1e-12)
    assert np.isnan(getattr(stats.binom, method)(k, 5, variable(1.5)).data).all()


def test_twice_and_frozen():
    def share(mu):
        return stats.poisson(mu).cdf(np.array([0, 2, 5]))

    assert gradgradcheck(share, (np.array(2.5),))


def test_far_from_the_mean():
    p = variable(0.5)
    stats.binom.logcdf(3, 100, p).backward()
    # The last term is all that counts: its slope is -97 / (1 - p) + 3 / p.
    assert p.grad.item() == pytest.approx(-188.2, abs=0.3)


def test_a_count_is_a_step():
    found = stats.poisson.cdf(variable(2.0), 1.5)
    assert not found.requires_grad
    with pytest.raises(srcgrad.NoRuleError, match="too many terms"):
        stats.zipfian.cdf(1e8, variable(1.5), 200_000_000)


@pytest.mark.parametrize("name", ["cdf", "sf", "logcdf", "logsf"])
@pytest.mark.parametrize("kind", ["yulesimon", "logser"])
def test_scipy_does_not_round_all_counts(kind, name):
    function = getattr(getattr(scipy.stats, kind), name)
    k, shape, step = np.array([1.0, 1.5, 2.7]), 0.6, 1e-6
    x = variable(shape)
    found = getattr(getattr(stats, kind), name)(k, x)
    np.testing.assert_array_equal(found.data, function(k, shape))
    found.sum().backward()
    apart = np.sum(function(k, shape + step) - function(k, shape - step))
    assert x.grad.item() == pytest.approx(apart / (2.0 * step), rel=1e-6)


def test_the_inverses_are_steps():
    mu = variable([1.5, 4.0])
    for name in ("ppf", "isf"):
        found = getattr(stats.poisson, name)(np.array([0.3, 0.8]), mu)
        expected = getattr(scipy.stats.poisson, name)([0.3, 0.8], mu.data)
        np.testing.assert_array_equal(getattr(found, "data", found), expected)
        assert not getattr(found, "requires_grad", False)
    frozen = stats.binom(5, variable(0.3))
    assert frozen.ppf(0.5) == scipy.stats.binom(5, 0.3).ppf(0.5)
