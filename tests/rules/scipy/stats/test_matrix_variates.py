"""Every sample of the chapter, and what is refused."""

import numpy as np
import pytest
import scipy.stats

from srcgrad.checking import gradcheck
from srcgrad.scipy import stats
from tests.variables import variable


def test_directions():
    """SciPy wants unit vectors: no difference can be taken of a single element."""
    mu, x = np.array([0.6, 0.8]), np.array([[1.0, 0.0], [0.0, 1.0]])

    def logpdf(kappa):
        return stats.vonmises_fisher.logpdf(x, mu, kappa)

    expected = scipy.stats.vonmises_fisher.logpdf(x, mu, 2.5)
    np.testing.assert_allclose(logpdf(variable(2.5)).data, expected)
    assert gradcheck(logpdf, (np.array(2.5),))
    point = variable(x)
    stats.vonmises_fisher.logpdf(point, mu, 2.5).sum().backward()
    np.testing.assert_allclose(point.grad.data, [2.5 * mu, 2.5 * mu])


def test_what_has_no_density():
    with pytest.raises(ValueError, match="Degrees of freedom"):
        stats.wishart.logpdf(np.eye(3), variable(1.5), np.eye(3))
    with pytest.raises(NotImplementedError, match="finite `df`"):
        stats.multivariate_t.logpdf(variable([1.0]), df=np.inf)
    found = stats.normal_inverse_gamma.logpdf(0.0, variable([-1.0, 1.0]), lmbda=-1.0)
    assert np.isnan(found.data).all()
