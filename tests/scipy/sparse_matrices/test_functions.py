"""Functions of sparse matrices, by their elements."""

import numpy as np
import scipy.linalg
import scipy.sparse

import srcgrad
from tests.differences import slope_of
from tests.variables import variable

DATA = np.array([2.0, 0.5, -1.0, 0.3, 1.5])
PLACES = np.array([0, 0, 1, 1, 2]), np.array([0, 1, 1, 0, 2])
X = np.array([1.0, -2.0, 0.5])


def test_traced_they_give_the_same():
    def height(data):
        S = scipy.sparse.csc_array((data, PLACES), shape=(3, 3))
        return np.sum(scipy.sparse.linalg.expm(S) @ X) + scipy.sparse.linalg.norm(S)

    traced = srcgrad.trace(height)
    for data in (DATA, 2.0 * DATA, DATA[::-1].copy()):
        np.testing.assert_allclose(traced(variable(data)).item(), height(data))
        slopes = slope_of(height, data)
        np.testing.assert_allclose(srcgrad.grad(height)(data), slopes, rtol=1e-6)
