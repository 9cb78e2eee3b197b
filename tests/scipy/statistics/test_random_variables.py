"""Random variables of the new kind: SciPy's values, and gradients by what they hold."""

import numpy as np
import pytest
import scipy.stats

import srcgrad
from tests.variables import variable

X, P = np.array([0.3, 0.7]), np.array([0.2, 0.6])


def test_scipys_own_take_points():
    rv = 2.0 * scipy.stats.Normal(mu=1.0, sigma=2.0) + 3.0

    @srcgrad.trace
    def loss(x):
        return np.sum(rv.logpdf(x))

    for shift in (0.0, 1.0, 2.0):
        x = variable(X + shift)
        out = loss(x)
        assert out.item() == pytest.approx(np.sum(rv.logpdf(x.data)))
        out.backward()
        np.testing.assert_allclose(x.grad.data, (5.0 - x.data) / 16.0)
    found = srcgrad.grad(lambda m: scipy.stats.Normal(mu=m, sigma=2.0).logpdf(3.0))(1.0)
    assert found == pytest.approx(0.5)


def test_what_has_no_derivative():
    mixed = scipy.stats.truncate(scipy.stats.Normal(), 0.0, 1.0)

    def density(x):
        return mixed.logpdf(x)

    with pytest.raises(srcgrad.NoRuleError, match="TruncatedDistribution"):
        srcgrad.grad(density)(0.5)
