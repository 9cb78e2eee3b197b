"""The confidence interval of Pearson's correlation."""

import numpy as np
import pytest
from scipy import stats

import srcgrad

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("n", [3, 8])
def test_it_is_scipys(alternative, n):
    def interval(x, y):
        found = stats.pearsonr(x, y, alternative=alternative)
        return found.confidence_interval(0.9)

    followed = srcgrad.trace(interval)
    for _ in range(2):
        samples = RNG.normal(size=(2, n))
        found, expected = followed(*samples), interval(*samples)
        assert type(found) is type(expected)
        np.testing.assert_allclose(found, expected, rtol=1e-13)


@pytest.mark.parametrize("end", [0, 1])
def test_against_differences(end):
    def limit(x, y):
        return np.sum(stats.pearsonr(x, y, axis=1).confidence_interval()[end])

    (x, y), way, step = RNG.normal(size=(2, 2, 7)), RNG.normal(size=(2, 7)), 1e-6
    found = np.sum(srcgrad.grad(limit)(x, y) * way)
    apart = limit(x + step * way, y) - limit(x - step * way, y)
    assert found == pytest.approx(apart / (2.0 * step), rel=1e-6)


def test_a_bootstrap_draws_random_numbers():
    def low(x):
        found = stats.pearsonr(x, x[::-1])
        return found.confidence_interval(method=stats.BootstrapMethod()).low

    with pytest.raises(srcgrad.NoRuleError, match="random numbers"):
        srcgrad.grad(low)(RNG.normal(size=5))
