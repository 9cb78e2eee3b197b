"""What is drawn anew: SciPy's numbers, and slopes of the data where they were drawn."""

import numpy as np
import pytest
import scipy.stats

import srcgrad
from srcgrad.checking import gradcheck
from srcgrad.protocols import raw_of
from srcgrad.scipy import stats
from tests.variables import variable

X, Y = np.array([0.3, 1.9, -0.7, 2.8, 0.4]), np.array([1.1, 0.2, 3.1, 2.0, -0.6])
FEW = {"n_resamples": 25}


def spread(x, axis=-1):
    return np.std(x, axis=axis)


def apart(x, y):
    """Not along an axis."""
    return np.mean(x**3) - np.mean(np.exp(y))


def product(x, y, axis=-1):
    return np.mean(x * y, axis=axis)


def of_bootstrap(result):
    ends = result.confidence_interval
    return np.stack([ends.low, ends.high, result.standard_error])


CASES = {
    "percentile": ("bootstrap", spread, 1, {"method": "percentile"}),
    "basic": ("bootstrap", spread, 1, {"method": "basic", "batch": 10}),
    "BCa": ("bootstrap", apart, 2, {"batch": 10}),
    "paired": ("bootstrap", product, 2, {"paired": True}),
    "independent": ("permutation_test", apart, 2, {}),
    "exact": ("permutation_test", product, 2, {"n_resamples": np.inf}),
    "pairings": ("permutation_test", product, 2, {"permutation_type": "pairings"}),
    "signs": ("permutation_test", spread, 1, {"permutation_type": "samples"}),
}


@pytest.mark.parametrize("case", CASES)
def test_against_scipy(case):
    name, statistic, count, options = CASES[case]
    options = FEW | options
    data = (X, Y)[:count]

    def call(module, data):
        return getattr(module, name)(data, statistic, rng=0, **options)

    def function(*data):
        found = call(stats, data)
        if name == "bootstrap":
            return of_bootstrap(found)
        return np.append(np.sort(found.null_distribution)[::7], found.statistic)

    expected, found = call(scipy.stats, data), call(stats, tuple(map(variable, data)))
    if name == "bootstrap":
        for ours, theirs in zip(
            found.confidence_interval, expected.confidence_interval, strict=True
        ):
            np.testing.assert_allclose(ours.data, theirs, rtol=1e-12)
        ours, theirs = found.bootstrap_distribution, expected.bootstrap_distribution
    else:
        assert found.pvalue == expected.pvalue
        np.testing.assert_allclose(found.statistic.data, expected.statistic, rtol=1e-12)
        ours, theirs = found.null_distribution, expected.null_distribution
    np.testing.assert_allclose(ours.data, theirs, rtol=1e-12, atol=1e-15)
    assert gradcheck(function, data)
    traced = srcgrad.trace(function)
    for shift in (0.0, 0.0, 0.1):
        moved = [variable(each * (1.0 + shift)) for each in data]
        np.testing.assert_array_equal(traced(*moved).data, function(*moved).data)


def test_samples_in_rows():
    rows = np.stack([X, Y])
    found = stats.bootstrap((variable(rows),), spread, axis=1, rng=0, **FEW)
    expected = scipy.stats.bootstrap((rows,), spread, axis=1, rng=0, **FEW)
    np.testing.assert_allclose(
        found.confidence_interval.low.data, expected.confidence_interval.low, rtol=1e-12
    )


def test_a_statistic_with_a_variable_of_its_own():
    shift = variable(0.5)
    found = stats.bootstrap(
        (X,), lambda x, axis: np.mean(x * shift, axis), rng=0, **FEW
    )
    found.standard_error.backward()
    alone = scipy.stats.bootstrap((X,), np.mean, rng=0, **FEW).standard_error
    np.testing.assert_allclose(shift.grad.data, alone, rtol=1e-12)


def test_a_monte_carlo_test():
    draw = scipy.stats.norm(0, 1).rvs

    def rvs(size):
        return draw(size=size, random_state=0)

    def function(x):
        return stats.monte_carlo_test(x, rvs, spread, **FEW).statistic

    found = stats.monte_carlo_test(variable(X), rvs, spread, **FEW)
    expected = scipy.stats.monte_carlo_test(X, rvs, spread, **FEW)
    assert found.pvalue == expected.pvalue
    np.testing.assert_array_equal(found.null_distribution, expected.null_distribution)
    assert gradcheck(function, (X,))


def test_sobols_indices():
    dists = [scipy.stats.uniform()] * 2
    given = {"n": 8, "dists": dists, "rng": 0}

    def function(a):
        found = stats.sobol_indices(func=lambda x: a * x[0] + x[1] ** 2, **given)
        return np.concatenate([found.first_order, found.total_order])

    expected = scipy.stats.sobol_indices(func=lambda x: 2.0 * x[0] + x[1] ** 2, **given)
    expected = [*expected.first_order, *expected.total_order]
    np.testing.assert_allclose(function(variable(2.0)).data, expected, rtol=1e-12)
    assert gradcheck(function, (np.array(2.0),))


def test_what_counts_tests_or_goes_by_ranks_has_no_gradient():
    def rvs(size):
        return np.random.default_rng(0).normal(0.5, 1.0, size)

    given = {"test": scipy.stats.ttest_1samp, "n_resamples": 20}
    given["kwargs"] = {"popmean": [0.0]}
    found = stats.power(rvs=rvs, n_observations=5, significance=variable(0.3), **given)
    expected = scipy.stats.power(rvs=rvs, n_observations=5, significance=0.3, **given)
    np.testing.assert_array_equal(raw_of(found.power), expected.power)
    assert not getattr(found.power, "requires_grad", False)
    found = stats.bws_test(variable(X), X[:4] + 0.1)
    assert found.pvalue == scipy.stats.bws_test(X, X[:4] + 0.1).pvalue
    assert not getattr(found.statistic, "requires_grad", False)
