"""Distribution functions that are integrals, at shapes of all sizes."""

import numpy as np
import pytest
import scipy.stats

from srcgrad.rules.scipy.stats import density_integrals


@pytest.mark.seeds(12)
def test_geninvgauss(seed):
    rng = np.random.default_rng(seed)
    p, b = rng.uniform(-30.0, 30.0), 10.0 ** rng.uniform(-2.0, 2.5)
    x = np.exp(np.arcsinh(p / b)) * np.array([0.3, 0.8, 1.0, 1.3, 3.0])
    found = density_integrals.geninvgauss(x, p, b)
    np.testing.assert_allclose(found, scipy.stats.geninvgauss.cdf(x, p, b), atol=1e-7)


@pytest.mark.seeds(12)
def test_genhyperbolic(seed):
    rng = np.random.default_rng(seed)
    p, a = rng.uniform(-5.0, 5.0), 10.0 ** rng.uniform(-1.0, 2.0)
    b = a * rng.uniform(-0.95, 0.95)
    x = 2.0 * b / a + np.array([-3.0, -1.0, -0.1, 0.4, 2.0])
    found = density_integrals.genhyperbolic(x, p, a, b)
    expected = scipy.stats.genhyperbolic.cdf(x, p, a, b)
    np.testing.assert_allclose(found, expected, atol=1e-7)


@pytest.mark.seeds(12)
def test_gausshyper(seed):
    rng = np.random.default_rng(seed)
    a, b = 10.0 ** rng.uniform(-0.5, 1.0, 2)
    c, z = rng.uniform(-3.0, 3.0), rng.uniform(-0.9, 5.0)
    x = np.array([0.01, 0.3, 0.6, 0.99])
    found = density_integrals.gausshyper(x, a, b, c, z)
    expected = scipy.stats.gausshyper.cdf(x, a, b, c, z)
    np.testing.assert_allclose(found, expected, atol=1e-7)
