"""``scipy.signal.whittaker_henderson``, which SciPy 1.17 has not."""

import numpy as np
import pytest
from scipy.optimize import OptimizeResult, brentq

import srcgrad
from srcgrad.checking import gradcheck
from srcgrad.scipy.signals import graduation
from tests.variables import variable

RNG = np.random.default_rng(0)
Y = np.cumsum(RNG.normal(size=9)) + RNG.normal(size=9)
W = RNG.uniform(0.5, 1.5, 9)


def by_dense_matrices(y, *, lamb="reml", order=2, weights=None):
    """What SciPy 1.18 finds, where it has no derivative."""
    w = np.ones(len(y)) if weights is None else weights
    y = np.nan_to_num(y)
    if lamb == "reml":
        lamb = np.exp(brentq(graduation.slope, -10.0, 10.0, (y, order, w), 1e-13))
    x = y if lamb == 0 else graduation.smoothed(y, lamb, order, w)
    return OptimizeResult(x=x, lamb=lamb)


SCIPYS = graduation.original or by_dense_matrices


@pytest.fixture(autouse=True)
def of_any_version(monkeypatch):
    """SciPy's own search is too rough for finite differences."""
    monkeypatch.setattr(graduation, "original", by_dense_matrices)


def smooth(y, weights=None, lamb="reml", order=2):
    found = graduation.whittaker_henderson(y, lamb=lamb, order=order, weights=weights)
    return found.x, 1.0 * found.lamb


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("args", [(Y, W, 0.7), (Y, W), (Y,)], ids=len)
def test_by_values_weights_and_strength(args, order):
    def call(*given):
        return smooth(*given, order=order)

    for found, plain in zip(call(*map(variable, args)), call(*args), strict=True):
        np.testing.assert_allclose(getattr(found, "data", found), plain, rtol=1e-12)
    assert gradcheck(call, args, eps=1e-4, atol=1e-4, rtol=1e-3)


def test_it_finds_what_scipy_does():
    ours, theirs = by_dense_matrices(Y, weights=W), SCIPYS(Y, weights=W)
    np.testing.assert_allclose(ours.lamb, theirs.lamb, rtol=1e-5)
    np.testing.assert_allclose(ours.x, theirs.x, rtol=1e-5)


def test_with_strength_zero_it_is_the_data():
    assert gradcheck(lambda y: smooth(y, None, 0.0)[0], (Y,))


def test_a_value_without_weight_does_not_matter():
    y, w = np.where(np.arange(9) == 4, np.nan, Y), np.where(np.arange(9) == 4, 0.0, W)
    slope = srcgrad.grad(lambda y: np.sum(smooth(y, w, 0.7)[0] ** 2))(y)
    assert slope[4] == 0.0
    assert np.isfinite(slope).all()


def test_a_likelihood_without_maximum_is_refused():
    with pytest.raises(srcgrad.NoRuleError, match="REML"):
        graduation.most_likely(1e9, variable(Y), 2, W)
