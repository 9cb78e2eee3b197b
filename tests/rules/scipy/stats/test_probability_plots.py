"""Every sample of the chapter, large samples, and what is refused."""

import numpy as np
import pytest
import scipy.stats

import srcgrad
from srcgrad.scipy import stats
from tests.variables import variable

X = np.array([0.2, 1.0, 2.5, 4.0])


def test_the_distributions_are_frozen_ones():
    def loss(x):
        mean, variance, deviation = scipy.stats.mvsdist(x)
        return mean.cdf(1.0) + variance.logpdf(2.0) + deviation.logpdf(2.0)

    assert srcgrad.gradcheck(srcgrad.trace(loss), (X,))


def test_large_samples_are_normal():
    x = np.linspace(-1.0, 2.0, 1001)
    found, expected = stats.bayes_mvs(variable(x)), scipy.stats.bayes_mvs(x)
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.statistic.item() == pytest.approx(theirs.statistic)
        assert ours.minmax[1].item() == pytest.approx(theirs.minmax[1])


def test_quantiles_alone():
    quantiles, ordered = stats.probplot(variable(X), 2.0, "gamma", fit=False)
    expected = scipy.stats.probplot(X, 2.0, "gamma", fit=False)
    np.testing.assert_allclose(quantiles, expected[0])
    np.testing.assert_allclose(ordered.data, expected[1])


def test_pictures_are_refused():
    with pytest.raises(srcgrad.NoRuleError, match="draw what it returns"):
        stats.probplot(variable(X), plot=object())


@pytest.mark.parametrize(
    "call",
    [
        lambda x: stats.boxcox_normplot(x, 1.0, 0.0),
        lambda x: stats.ppcc_plot(x, 1.0, 0.0),
        lambda x: stats.bayes_mvs(x, 1.5),
        lambda x: stats.mvsdist(x[:1]),
    ],
)
def test_errors_are_scipys(call):
    with pytest.raises(ValueError, match=r"larger|required|Need"):
        call(variable(X))
