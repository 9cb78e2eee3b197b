"""Kernel densities: as SciPy's, and differentiable in all that they are made of."""

import numpy as np
import pytest
import scipy.stats

import srcgrad
from tests.variables import variable

rng = np.random.default_rng(0)
DATA, WEIGHTS = rng.normal(size=(2, 5)), rng.uniform(0.5, 1.5, 5)
POINTS = rng.normal(size=(2, 3))


def test_in_a_transform():
    kde = scipy.stats.gaussian_kde(DATA[0])

    def loss(x):
        return np.sum(kde.logpdf(x))

    def of_data(data):
        return scipy.stats.gaussian_kde(data).logpdf(POINTS[0])[0]

    x = POINTS[0]
    step = 1e-6
    slope = (loss(x + step) - loss(x - step)) / (2.0 * step)
    np.testing.assert_allclose(srcgrad.grad(loss)(x).sum(), slope, rtol=1e-6)
    assert np.isfinite(srcgrad.grad(of_data)(DATA[0])).all()


def test_a_bandwidth_that_changes_after_the_trace():
    kde = scipy.stats.gaussian_kde(DATA[0])
    traced = srcgrad.trace(lambda x: np.sum(kde.logpdf(x)))
    for width in (0.5, 0.5, 0.2):
        kde.set_bandwidth(width)
        found = traced(variable(POINTS[0])).item()
        assert found == pytest.approx(np.sum(kde.logpdf(POINTS[0])))
