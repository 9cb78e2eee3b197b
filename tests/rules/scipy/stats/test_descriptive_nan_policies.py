"""Every sample of the chapter; statistics of samples with nan against SciPy's own."""

import inspect
import warnings

import numpy as np
import pytest
import scipy.stats

import srcgrad
from srcgrad.scipy import stats
from tests.variables import variable

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
NAMES = (
    "tmean tvar tstd tsem moment skew kurtosis sem variation gstd tmin tmax "
    "trim_mean mode circmean circvar circstd iqr median_abs_deviation ks_1samp "
    "jarque_bera kstat kstatvar boxcox_llf yeojohnson_llf differential_entropy "
    "lmoment gmean hmean pmean entropy skewtest normaltest kurtosistest shapiro "
    "cramervonmises epps_singleton_2samp ttest_1samp ttest_ind ttest_rel f_oneway "
    "levene alexandergovern bartlett linregress pointbiserialr theilslopes "
    "siegelslopes combine_pvalues chisquare power_divergence "
).split()
WRAPPED = set(NAMES)
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
@pytest.mark.one_in(5)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("policy", ["propagate", "omit"])
@pytest.mark.parametrize("name", NAMES)
def test_a_statistic_of_samples_with_nan_is_as_scipys(name, policy, layout):
    rng, (shape, axis) = np.random.default_rng(3), layout
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
    others = {"zscore", "gzscore", "zmap", "describe", "quantile", "median_test"}
    others |= {"kstest", "boxcox"}  # the latter from SciPy 1.18 on: test_normalising
    for name, function in inspect.getmembers(scipy.stats, inspect.isfunction):
        if "nan_policy" in inspect.signature(function).parameters:
            replacement = srcgrad.rules.compositions.COMPOSITIONS.get(function)
            assert replacement is None or name in WRAPPED | others, name


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


def agrees(function, *values):
    """The value of a traced function, at the first call and later, is SciPy's."""
    traced = srcgrad.trace(function)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = function(*values)
        for _ in range(2):
            found = traced(*(variable(value) for value in values))
            leaves = found if isinstance(found, tuple) else [found]
            others = expected if isinstance(expected, tuple) else [expected]
            for one, other in zip(leaves, others, strict=True):
                one = getattr(one, "data", one)
                np.testing.assert_allclose(one, other, rtol=1e-12)


SMALL = "tmin iqr trim_mean mode shapiro tvar kurtosistest differential_entropy"


@pytest.mark.parametrize("name", SMALL.split())
@pytest.mark.parametrize("size", [0, 1])
def test_of_too_few_numbers_there_is_none(name, size):
    options = {"proportiontocut": 0.1} if name == "trim_mean" else {}

    def statistic(x):
        found = getattr(scipy.stats, name)(x, **options)
        return tuple(found) if isinstance(found, tuple) else found

    agrees(statistic, np.ones(size))


def test_of_nothing_along_an_axis():
    agrees(lambda x: scipy.stats.tmin(x, axis=1), np.ones((3, 0)))
    agrees(lambda x, y: tuple(scipy.stats.ttest_ind(x, y)), [], [1.0, 2.0])
    two = lambda x, y: tuple(scipy.stats.epps_singleton_2samp(x, y))  # noqa: E731
    agrees(two, [1.0, 2.0], [3.0, 4.0])


def test_where_scipy_says_that_there_is_none():
    agrees(scipy.stats.skew, [0.1] * 3)
    agrees(scipy.stats.kurtosis, [0.1] * 3)
    agrees(scipy.stats.hmean, [1.0, -2.0])
    agrees(lambda x: scipy.stats.pmean(x, 2), [1.0, -2.0])
    agrees(lambda x: scipy.stats.moment(x, order=0), [1.0, np.nan])
    with pytest.raises(NotImplementedError, match="finite `p`"):
        stats.pmean(variable([1.0, 2.0]), np.inf)


def test_single_precision_within_limits():
    x = np.linspace(-1.0, 2.0, 7, dtype=np.float32)
    for name in ("tmean", "tvar", "tsem"):
        found = getattr(stats, name)(srcgrad.Variable(x, True), limits=(-0.5, 1.6))
        assert found.dtype == np.float32
