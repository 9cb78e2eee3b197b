"""Covariances by their factors: the same as by the matrix, whichever they are."""

import numpy as np
import pytest
import scipy.stats

import srcgrad
from srcgrad.checking import gradcheck
from srcgrad.scipy import stats
from tests.variables import variable

MATRIX = np.array([[2.0, 0.3], [0.3, 1.0]])
X = np.array([[0.2, -0.4], [1.0, 0.5], [0.0, 2.0]])
GIVEN = {
    "from_diagonal": (np.array([2.0, 0.5]),),
    "from_precision": (MATRIX,),
    "from_cholesky": (np.linalg.cholesky(MATRIX),),
    "from_eigendecomposition": (tuple(np.linalg.eigh(MATRIX)),),
}


# Of elements that may all be changed, what each is given.
MADE = {
    "from_diagonal": lambda diagonal: diagonal,
    "from_precision": lambda matrix: 0.5 * (matrix + matrix.T),
    "from_cholesky": np.tril,
    "from_eigendecomposition": lambda *both: both,
}


@pytest.mark.parametrize("name", GIVEN)
def test_the_density(name):
    def density(x, *given):
        cov = getattr(stats.Covariance, name)(MADE[name](*given))
        return stats.multivariate_normal.logpdf(x, np.zeros(2), cov)

    (given,) = GIVEN[name]
    arrays = given if isinstance(given, tuple) else (given,)
    assert gradcheck(density, (X, *arrays))
    traced = srcgrad.trace(density)
    for scale in (1.0, 1.0, 2.0):
        given = [variable(scale * X), *map(variable, arrays)]
        np.testing.assert_array_equal(traced(*given).data, density(*given).data)


@pytest.mark.parametrize("name", GIVEN)
def test_the_same_as_scipys(name):
    (given,) = GIVEN[name]
    theirs = getattr(scipy.stats.Covariance, name)(given)
    held = tuple(map(variable, given)) if isinstance(given, tuple) else variable(given)
    ours = getattr(stats.Covariance, name)(held)
    assert isinstance(ours, scipy.stats.Covariance)
    for attribute in ("log_pdet", "rank", "shape", "covariance"):
        found, expected = getattr(ours, attribute), getattr(theirs, attribute)
        np.testing.assert_allclose(getattr(found, "data", found), expected, rtol=1e-12)
    for method in ("whiten", "colorize"):
        expected = getattr(theirs, method)(X)
        np.testing.assert_allclose(getattr(ours, method)(X).data, expected, rtol=1e-12)
        reached = srcgrad.rules.libraries.replacement_of(getattr(theirs, method))
        np.testing.assert_allclose(reached(variable(X)).data, expected, rtol=1e-12)
    frozen = stats.multivariate_normal(np.ones(2), ours).logpdf(X)
    expected = scipy.stats.multivariate_normal(np.ones(2), theirs).logpdf(X)
    np.testing.assert_allclose(frozen.data, expected, rtol=1e-12)


def test_what_is_plain_is_scipys():
    plain = stats.Covariance.from_diagonal([1.0, 2.0])
    assert type(plain).__module__.startswith("scipy.")
