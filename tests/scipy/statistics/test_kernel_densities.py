"""Kernel densities: as SciPy's, and differentiable in all that they are made of."""

import numpy as np
import pytest
import scipy.stats

import srcgrad
from srcgrad.checking import gradcheck, gradgradcheck
from srcgrad.scipy import stats
from tests.variables import variable

rng = np.random.default_rng(0)
DATA, WEIGHTS = rng.normal(size=(2, 5)), rng.uniform(0.5, 1.5, 5)
POINTS = rng.normal(size=(2, 3))


@pytest.mark.parametrize("name", ["evaluate", "logpdf", "pdf", "__call__"])
@pytest.mark.parametrize("way", [None, "silverman", 0.7])
def test_as_scipys(name, way):
    def density(points, data, weights):
        return getattr(stats.gaussian_kde(data, way, weights), name)(points)

    for points, data in ((POINTS, DATA), (POINTS[0], DATA[0])):
        arrays = points, data, WEIGHTS
        theirs = scipy.stats.gaussian_kde(data, way, WEIGHTS)
        found = density(*map(variable, arrays)).data
        np.testing.assert_allclose(found, getattr(theirs, name)(points), rtol=1e-12)
        assert gradcheck(density, arrays)


def test_twice_and_by_the_bandwidth():
    def density(points, width):
        return stats.gaussian_kde(DATA, width).logpdf(points)

    assert gradgradcheck(density, (POINTS[:, 0], np.array(0.6)))


def test_far_from_all_data():
    x = variable(np.array([60.0]))
    found = stats.gaussian_kde(DATA[0]).logpdf(x)
    assert found.item() == scipy.stats.gaussian_kde(DATA[0]).logpdf([60.0])[0]
    found.sum().backward()
    assert np.isfinite(x.grad.data).all()


def test_the_share_in_an_interval():
    def share(low, high, data):
        return stats.gaussian_kde(data).integrate_box_1d(low, high)

    arrays = np.array(-0.5), np.array(0.8), DATA[0]
    expected = scipy.stats.gaussian_kde(DATA[0]).integrate_box_1d(-0.5, 0.8)
    assert share(*map(variable, arrays)).item() == pytest.approx(expected)
    assert gradcheck(share, arrays)


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


def test_what_is_refused():
    kde = stats.gaussian_kde(variable(DATA))
    for name in ("covariance", "resample", "integrate_kde"):
        with pytest.raises(srcgrad.NoRuleError, match=name):
            getattr(kde, name)
    with pytest.raises(srcgrad.NoRuleError, match="a function chooses"):
        stats.gaussian_kde(variable(DATA), lambda kde: 0.3)
    with pytest.raises(ValueError, match="points have dimension 3"):
        kde.logpdf(np.ones((3, 2)))
    with pytest.raises(ValueError, match="only handles 1D"):
        kde.integrate_box_1d(0.0, 1.0)
    assert stats.gaussian_kde(DATA).covariance.shape == (2, 2)
