"""Every sample of the chapter; statistics of samples with nan against SciPy's own."""

import inspect

import numpy as np
import pytest
import scipy.stats

import srcgrad
from srcgrad.rules.scipy.stats.nan_policies import AROUND
from srcgrad.scipy import stats
from tests.rules.suite import RuleSuite
from tests.samples.scipy.nan_policies import SAMPLES
from tests.variables import variable


class TestSamples(RuleSuite):
    samples = SAMPLES


# How each is called that wants more than its samples.
CALLS = {
    "pmean": lambda f, x, **options: f(x, 2.0, **options),
    "moment": lambda f, x, **options: f(x, 3, **options),
    "trim_mean": lambda f, x, **options: f(x, 0.2, **options),
    "ttest_1samp": lambda f, x, **options: f(x, 0.3, **options),
    "boxcox_llf": lambda f, x, **options: f(0.7, x, **options),
    "yeojohnson_llf": lambda f, x, **options: f(0.7, x, **options),
    "combine_pvalues": lambda f, x, **options: f(x / 4.0, **options),
    "ks_1samp": lambda f, x, **options: f(x, scipy.stats.expon.cdf, **options),
    "kstest": lambda f, x, **options: f(x, scipy.stats.expon.cdf, **options),
    "cramervonmises": lambda f, x, **options: f(x, scipy.stats.expon.cdf, **options),
}
OF_TWO = (
    "ttest_ind ttest_rel linregress pointbiserialr epps_singleton_2samp "
    "f_oneway bartlett levene alexandergovern".split()
)
NAMES = [name for functions in AROUND for name in functions.split()]
NAMES += ["kstest", "zscore", "gzscore"]
LAYOUTS = [
    ((26,), 0),
    ((26, 2), 0),
    ((2, 26), -1),
    ((3, 13), None),
    ((2, 3, 13), (0, 2)),
]


def numbers(result):
    if hasattr(result, "statistic") and not isinstance(result, tuple):
        result = result.statistic, result.pvalue
    fields = result if isinstance(result, tuple) else (result,)
    return [np.asarray(getattr(each, "data", each), float) for each in fields]


def called(module, name, samples, options):
    call = CALLS.get(name, lambda f, *xs, **options: f(*xs, **options))
    return call(getattr(module, name), *samples, **options)


def both(name, samples, options):
    expected = called(scipy.stats, name, samples, options)
    found = called(stats, name, map(variable, samples), options)
    return numbers(found), numbers(expected)


def drawn(rng, shape, share):
    x = rng.uniform(0.2, 3.0, shape)
    x[rng.random(shape) < share] = np.nan
    return x


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("policy", ["propagate", "omit"])
@pytest.mark.parametrize("name", NAMES)
def test_a_statistic_of_samples_with_nan_is_as_scipys(name, policy):
    rng = np.random.default_rng(3)
    for shape, axis in LAYOUTS:
        for share in (0.0, 0.1):
            options = {"nan_policy": policy, "axis": axis}
            count = 2 if name in OF_TWO else 1
            samples = [drawn(rng, shape, share) for _ in range(count)]
            if name == "epps_singleton_2samp" and policy == "propagate" and share:
                continue  # an error: its matrix has no singular values
            if name == "kstest" and isinstance(axis, tuple):
                continue
            found, expected = both(name, samples, options)
            for one, other in zip(found, expected, strict=True):
                assert one.shape == other.shape
                np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-12)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_lines_with_too_few_numbers_give_what_scipy_gives(name):
    if name in ("epps_singleton_2samp", "mode", "lmoment"):
        pytest.skip("an error of its own")
    count = 2 if name in OF_TWO else 1
    samples = [np.linspace(0.3, 2.0, 26) + i * 0.01 for i in range(count)]
    samples = [np.stack([sample, np.full(26, np.nan)], 1) for sample in samples]
    samples[0][3, 1] = 0.7
    found, expected = both(name, samples, {"nan_policy": "omit", "axis": 0})
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-7)


@pytest.mark.parametrize("name", NAMES)
def test_nan_may_be_an_error(name):
    count = 2 if name in OF_TWO else 1
    samples = [np.linspace(0.3, 2.0, 26) for _ in range(count)]
    samples[0][3] = np.nan
    with pytest.raises(ValueError, match="contains nan"):
        called(stats, name, map(variable, samples), {"nan_policy": "raise"})


def test_an_unknown_policy_is_an_error():
    with pytest.raises(ValueError, match="nan_policy must be one of"):
        stats.sem(variable([1.0, 2.0]), nan_policy="drop")


def test_arguments_that_scipy_does_not_take():
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        stats.sem(variable([1.0, 2.0]), typo=1)


def test_each_statistic_that_scipy_wraps_and_srcgrad_has_is_here():
    """Of those with rules; what draws or ranks has none."""
    known = {name for functions in AROUND for name in functions.split()}
    others = {"zscore", "gzscore", "zmap", "describe", "quantile", "median_test"}
    others |= {"kstest"}
    for name, function in inspect.getmembers(scipy.stats, inspect.isfunction):
        if "nan_policy" in inspect.signature(function).parameters:
            replacement = srcgrad.rules.compositions.COMPOSITIONS.get(function)
            assert replacement is None or name in known | others, name


@pytest.mark.filterwarnings("ignore")
def test_a_trace_is_of_the_holes_that_it_has_seen():
    rng = np.random.default_rng(3)

    def score(x, y):
        slope = scipy.stats.linregress(x, y, nan_policy="omit").slope
        spread = scipy.stats.sem(x, nan_policy="omit")
        return slope * spread + scipy.stats.trim_mean(y, 0.2, nan_policy="omit")

    traced = srcgrad.trace(score)
    for call in range(9):
        x, y = rng.normal(size=9), rng.normal(size=9)
        x[: call % 3] = np.nan
        found = srcgrad.value_and_grad(traced)(x, y)
        expected = score(x, y)
        np.testing.assert_allclose(found[0], expected)
        step = 1e-6 * rng.normal(size=9)
        change = score(x + step, y) - score(x - step, y)
        np.testing.assert_allclose(2.0 * found[1] @ step, change, rtol=1e-4, atol=1e-12)
