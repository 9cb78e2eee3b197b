"""Every sample of the chapter, and large samples."""

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
