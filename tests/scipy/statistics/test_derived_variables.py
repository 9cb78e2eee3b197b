"""Random variables made of others: SciPy's numbers, and their slopes."""

import numpy as np
import pytest
import scipy.stats

import srcgrad
from srcgrad.checking import gradcheck
from srcgrad.scipy import stats
from tests.variables import variable

X, P = np.array([0.3, 0.9, 1.4]), np.array([0.2, 0.6])
METHODS = "logpdf pdf cdf ccdf logcdf logccdf icdf iccdf ilogcdf median".split()
KINDS = {
    "exp": lambda module, made: module.exp(made),
    "log": lambda module, made: module.log(made),
    "abs": lambda module, made: module.abs(made),
    "truncate": lambda module, made: module.truncate(made, lb=-0.5, ub=1.5),
    "order_statistic": lambda module, made: module.order_statistic(made, r=2, n=5),
}


def made_of(module, name, a, b):
    if name == "log":
        return KINDS[name](module, module.Uniform(a=a, b=b + 5.0))
    return KINDS[name](module, module.Normal(mu=a, sigma=b))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", KINDS)
def test_every_method(name, method):
    if (name == "abs" and method.startswith("i")) or (name, method) == (
        "abs",
        "median",
    ):
        pytest.skip("refused")
    asked = {"median": (), "ilogcdf": (np.log(P),)}.get(method, (X,))
    asked = (P,) if method in ("icdf", "iccdf") else asked

    def function(a, b, *asked):
        return getattr(made_of(stats, name, a, b), method)(*asked)

    given = np.array(0.2), np.array(1.3), *asked
    expected = getattr(made_of(scipy.stats, name, 0.2, 1.3), method)(*asked)
    found = function(*map(variable, given))
    np.testing.assert_allclose(found.data, expected, rtol=1e-9)
    assert gradcheck(function, given)


def test_outside_and_refused():
    made = stats.truncate(stats.Normal(mu=variable(0.2), sigma=1.0), lb=0.0, ub=1.0)
    assert made.cdf(np.array([-1.0, 2.0])).data.tolist() == [0.0, 1.0]
    assert stats.exp(stats.Normal(mu=variable(0.2), sigma=1.0)).cdf(-1.0).item() == 0.0
    with pytest.raises(srcgrad.NoRuleError, match="'mean' of <srcgrad's Truncated"):
        made.mean()


def test_in_functions_that_are_traced():
    @srcgrad.trace
    def density(mu, x):
        return scipy.stats.exp(scipy.stats.Normal(mu=mu, sigma=1.0)).logpdf(x)

    for mu in (0.1, 0.1, 0.4):
        found = density(variable(mu), variable(X))
        expected = scipy.stats.lognorm.logpdf(X, 1.0, scale=np.exp(mu))
        np.testing.assert_allclose(found.data, expected, rtol=1e-12)
