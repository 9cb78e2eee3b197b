"""Fits of distributions: SciPy's values, and slopes by the data."""

import numpy as np
import pytest
import scipy.stats
from scipy import optimize

import srcgrad
from srcgrad.scipy import stats
from tests.variables import variable

RNG = np.random.default_rng(0)
DATA = {
    "gamma": RNG.gamma(2.0, size=30),
    "t": RNG.standard_t(4.0, size=40),
    "weibull_min": RNG.weibull(2.0, size=30),
    "beta": RNG.beta(2.0, 3.0, size=30),
    "lognorm": RNG.lognormal(size=20),
}
HELD = {"beta": {"floc": 0.0, "fscale": 1.0}, "lognorm": {"floc": 0.0}}
HELD |= {"gamma": {"fa": 2.0}}


def exactly(name, x, found, free):
    """The likeliest parameters, as near as can be."""
    distribution = getattr(scipy.stats, name)

    def loss(theta):
        values = np.array(found)
        values[free] = theta
        return distribution.nnlf(values, x)

    options = {"xatol": 1e-10, "fatol": 1e-12, "maxiter": 9000, "maxfev": 9000}
    start = np.array(found)[free]
    return optimize.minimize(loss, start, method="Nelder-Mead", options=options).x


@pytest.mark.parametrize("name", DATA)
def test_slopes_are_those_of_the_likeliest(name):
    x, held = DATA[name], HELD.get(name, {})
    expected = getattr(scipy.stats, name).fit(x, **held)
    data = variable(x)
    found = getattr(stats, name).fit(data, **held)
    live = [i for i, each in enumerate(found) if hasattr(each, "grad_fn")]
    assert len(live) == len(found) - len(held)
    values = [getattr(each, "data", each) for each in found]
    np.testing.assert_allclose(values, expected, rtol=1e-12)
    sum((i + 1.0) * found[i] for i in live).backward()
    step = 1e-2 * np.eye(len(x))[3]
    ends = [exactly(name, x + sign * step, expected, live) for sign in (1, -1)]
    numeric = np.sum((ends[0] - ends[1]) * (np.array(live) + 1.0)) / 2e-2
    assert data.grad.data[3] == pytest.approx(numeric, rel=3e-3)


def test_in_functions_that_are_transformed():
    def deviation(x):
        return scipy.stats.norm.fit(x)[1]

    x = DATA["t"]
    expected = (x - np.mean(x)) / np.std(x) / len(x)
    np.testing.assert_allclose(srcgrad.grad(deviation)(x), expected)
    traced = srcgrad.trace(deviation)
    for shift in (0.0, 0.0, 1.0):
        assert traced(variable(x * (1.0 + shift))).item() == pytest.approx(
            np.std(x) * (1.0 + shift)
        )


def test_without_a_gradient_it_is_scipys():
    x = DATA["gamma"]
    assert stats.norm.fit(x) == scipy.stats.norm.fit(x)


@pytest.mark.parametrize(
    ("name", "bounds"),
    [("gamma", {"a": (0.1, 10.0), "scale": (0.1, 5.0)}), ("nbinom", [(4, 4), (0, 1)])],
)
def test_a_search_within_bounds(name, bounds):
    x = np.array([1.0, 4.0, 2.0, 7.0, 3.0, 5.0])
    data = variable(x)
    found = stats.fit(getattr(scipy.stats, name), data, bounds)
    live = [each for each in found.params if hasattr(each, "grad_fn")]
    if name == "gamma":
        theirs = variable(x)
        expected = stats.gamma.fit(theirs, floc=0.0)
        assert len(live) == 2
        live[1].backward()
        expected[2].backward()
        np.testing.assert_allclose(data.grad.data, theirs.grad.data, rtol=1e-3)
    assert all(
        isinstance(each, float) or hasattr(each, "data") for each in found.params
    )
    with pytest.raises(srcgrad.NoRuleError, match="by spacings"):
        stats.fit(scipy.stats.gamma, data, {"a": (0.1, 10.0)}, method="mse")
