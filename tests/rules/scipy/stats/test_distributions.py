"""Every sample, and every distribution: right, or refused where that is stated."""

import numpy as np
import pytest
import scipy.stats
from scipy.stats._distr_params import distcont, distdiscrete

import srcgrad
from srcgrad.checking import gradcheck, gradgradcheck
from srcgrad.rules.scipy.stats.log_densities import LOG_DENSITIES, LOG_MASSES
from srcgrad.scipy import stats
from tests.cases import for_each
from tests.variables import variable

# Nobody waits for the numerical integrals that these are.
SLOW = {"ksone", "kstwo", "levy_stable", "studentized_range"}
CONTINUOUS = [(n, a) for n, a in distcont if isinstance(n, str) and n not in SLOW]
DISCRETE = [
    (n, a) for n, a in distdiscrete if isinstance(n, str) and n != "poisson_binom"
]

# Whose shape is a whole number.
STEPPED = {"irwinhall"}
NO_MASS = set(
    "nchypergeom_fisher nchypergeom_wallenius nhypergeom randint zipfian".split()
)


def points(name, args):
    return getattr(scipy.stats, name).ppf(np.array([0.3, 0.6]), *args) * 1.5 + 0.2


@for_each("name, args", CONTINUOUS)
def test_the_log_density_by_the_point(name, args):
    def logpdf(x, loc, scale):
        return getattr(stats, name).logpdf(x, *args, loc, scale)

    check(logpdf, [points(name, args), 0.2, 1.5], is_refused=False)


@for_each("name, args", CONTINUOUS)
def test_the_log_density_by_the_shapes(name, args):
    x = points(name, args)

    def logpdf(*shapes):
        return getattr(stats, name).logpdf(x, *shapes, 0.2, 1.5)

    if args and name != "erlang":  # whose shape is a whole number
        check(logpdf, args, name in STEPPED)


@for_each("name, args", CONTINUOUS)
@for_each("method", ["cdf", "ppf"])
def test_the_distribution_function_and_its_inverse(name, args, method):
    def function(x, loc, scale):
        return getattr(getattr(stats, name), method)(x, *args, loc, scale)

    x = points(name, args) if method == "cdf" else np.array([0.3, 0.6])
    check(function, [x, 0.2, 1.5], is_refused=False)


@for_each("name, args", CONTINUOUS)
@for_each("method", "cdf sf logcdf logsf ppf isf".split())
def test_distribution_functions_by_the_shapes(name, args, method):
    x = getattr(scipy.stats, name).ppf(np.array([0.3, 0.6]), *args)
    x = np.array([0.3, 0.6]) if method in ("ppf", "isf") else x

    def function(*shapes):
        return getattr(getattr(stats, name), method)(x, *shapes)

    # The shape of erlang is a whole number; at h = 0 SciPy's kappa4 is cut in two.
    if args and name != "erlang" and (name != "kappa4" or args[0]):
        check(function, args, name in STEPPED)


def test_distribution_functions_by_the_shapes_twice():
    for name, args in (("gamma", (2.5,)), ("beta", (2.5, 0.8)), ("t", (3.5,))):
        for method, x in (("cdf", 0.4), ("logsf", 0.4), ("ppf", 0.7), ("isf", 0.7)):
            call = getattr(getattr(stats, name), method)
            arrays = tuple(np.array(value) for value in (x, *args))
            assert gradgradcheck(call, arrays), (name, method)


@pytest.mark.parametrize(("name", "args"), DISCRETE)
def test_the_log_mass_by_the_parameters(name, args):
    free = [i for i, arg in enumerate(args) if isinstance(arg, float)]
    k = np.unique(getattr(scipy.stats, name).ppf([0.2, 0.5, 0.8], *args))

    def logpmf(*values):
        own = list(args)
        for i, value in zip(free, values, strict=True):
            own[i] = value
        return getattr(stats, name).logpmf(k, *own)

    if free:
        check(logpmf, [args[i] for i in free], name in NO_MASS)


def test_the_formulas_are_of_scipys_distributions():
    assert all(hasattr(scipy.stats, name) for name in LOG_DENSITIES | LOG_MASSES)


def check(function, values, is_refused):
    arrays = tuple(np.array(value, float) for value in values)
    if is_refused:
        with pytest.raises(srcgrad.NoRuleError):
            function(*map(variable, arrays)).sum().backward()
        return
    out = function(*map(variable, arrays))
    np.testing.assert_allclose(out.data, function(*arrays), rtol=1e-9)
    assert gradcheck(function, arrays)


# ----- Around the formulas -----


@pytest.mark.parametrize("method", "logpdf pdf cdf sf logcdf logsf ppf isf".split())
def test_outside_the_support_and_with_bad_parameters(method):
    x = np.array([-1.0, 0.0, 0.5, 1.0, 2.0, np.nan])
    for args in ((2.0, 3.0), (-2.0, 3.0), (2.0, 3.0, 0.1, -1.0)):
        found = getattr(stats.beta, method)(variable(x), *args)
        expected = getattr(scipy.stats.beta, method)(x, *args)
        np.testing.assert_allclose(found.data, expected)
        assert found.grad_fn is not None


def test_where_there_is_no_density_the_slope_is_zero():
    x = variable([-1.0, 0.5, 2.0])
    stats.beta.pdf(x, 2.0, 3.0).sum().backward()
    assert x.grad.data[[0, 2]].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("k", [-1.0, 0.5, 2.0, np.nan])
def test_counts_that_are_none(k):
    found = stats.poisson.logpmf(np.array([k]), variable(2.0))
    np.testing.assert_allclose(found.data, scipy.stats.poisson.logpmf([k], 2.0))


def test_frozen_distributions_in_a_transform():
    def share(a, b):
        return scipy.stats.beta(a, b).cdf(0.3)

    step = 1e-6
    slope = (share(1.5 + step, 2.0) - share(1.5 - step, 2.0)) / (2.0 * step)
    np.testing.assert_allclose(srcgrad.grad(share)(1.5, 2.0), slope, rtol=1e-6)


def test_frozen_distributions():
    loc = variable(0.5)
    stats.norm(loc=loc, scale=2.0).logpdf(np.array([1.5])).sum().backward()
    assert loc.grad.item() == pytest.approx(0.25)
    rate = variable(2.0)
    stats.poisson(rate).logpmf(np.array([3])).sum().backward()
    assert rate.grad.item() == pytest.approx(0.5)


def test_a_traced_function_needs_no_other_import():
    def loss(x, loc, scale):
        return -np.sum(scipy.stats.norm.logpdf(x, loc, scale))

    traced = srcgrad.trace(loss)
    for seed in (1, 2):
        x = np.random.default_rng(seed).normal(size=5)
        loc, scale = variable(0.3), variable(1.5)
        traced(x, loc, scale).backward()
        assert loc.grad.item() == pytest.approx(-np.sum(x - 0.3) / 1.5**2)
    assert traced.stats.compiled, traced.explain()


@pytest.mark.parametrize("shapes", [(1.5, 0.2), (1.0, 0.5)])
def test_a_stable_distribution_function_by_the_point_and_where_it_lies(shapes):
    """SciPy moves it by its scale where `alpha` is 1; the density has no formula."""

    def cdf(*args):
        return stats.levy_stable.cdf(args[0], *shapes, *args[1:])

    args = np.array([-1.0, 0.3]), 0.1, 1.3
    np.testing.assert_array_equal(
        cdf(*map(variable, args)).data,
        scipy.stats.levy_stable.cdf(args[0], *shapes, *args[1:]),
    )
    assert gradcheck(cdf, args, eps=1e-4, atol=1e-6)
    with pytest.raises(srcgrad.NoRuleError, match="levy_stable"):
        srcgrad.hvp(lambda x: np.sum(cdf(x)), args[:1], args[:1])
    with pytest.raises(srcgrad.NoRuleError, match="levy_stable"):
        stats.levy_stable.pdf(variable(0.3), *shapes)


@pytest.mark.parametrize(
    ("name", "shapes"),
    [("alpha", (3.5,)), ("betaprime", (5.0, 6.0)), ("fatiguelife", (29.0,))],
)
def test_ends_that_scipy_says_lie_outside(name, shapes):
    ends = np.array([0.0, np.inf])
    for kind in ("pdf", "logpdf", "cdf"):
        expected = getattr(getattr(scipy.stats, name), kind)(ends, *shapes)
        found = getattr(getattr(stats, name), kind)(variable(ends), *shapes)
        np.testing.assert_array_equal(found.data, expected)
