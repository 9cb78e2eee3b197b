"""Sparse matrices whose elements are Variables, and solutions with them."""

import numpy as np
import pytest
import scipy.sparse
from srcgrad.scipy.sparse import linalg

import srcgrad
from srcgrad.scipy import sparse

ROWS, COLUMNS = np.array([0, 2, 1, 0, 2]), np.array([0, 1, 1, 2, 2])
DATA, X = np.array([4.0, 2.0, -3.0, 1.0, 5.0]), np.array([1.0, -2.0, 0.5])
FIXED = scipy.sparse.csr_array((DATA, (ROWS, COLUMNS)), shape=(3, 3))


def test_inside_of_a_transform():
    def height(data):
        S = sparse.csr_array((data, (ROWS, COLUMNS)), shape=(3, 3))
        return np.sum(linalg.spsolve(S, FIXED @ X) ** 2)

    step = 1e-6 * np.eye(5)
    slopes = [(height(DATA + e) - height(DATA - e)) / 2e-6 for e in step]
    np.testing.assert_allclose(srcgrad.grad(height)(DATA), slopes, rtol=1e-6)


def potential(log_conductivity):
    """As users write it, in SciPy's own names."""
    flow = np.exp(log_conductivity)
    main = np.concatenate([flow, [0.0]]) + np.concatenate([[0.0], flow]) + 0.1
    A = scipy.sparse.diags_array([main, -flow, -flow], offsets=[0, 1, -1], format="csc")
    return np.sum(scipy.sparse.linalg.spsolve(A, np.arange(4.0)) ** 2)


def divergence(conductivity):
    D = scipy.sparse.diags_array([-1.0, 1.0], offsets=[0, 1], shape=(3, 4))
    A = D.T @ scipy.sparse.diags_array(conductivity) @ D + scipy.sparse.eye_array(4)
    return np.sum(scipy.sparse.linalg.spsolve(scipy.sparse.csc_array(A), X4) ** 2)


X4 = np.array([1.0, -2.0, 0.5, 3.0])


@pytest.mark.parametrize("function", [potential, divergence])
@pytest.mark.filterwarnings("ignore:.*format:scipy.sparse.SparseEfficiencyWarning")
def test_scipys_names_in_a_transform(function):
    x, step = np.array([0.3, 1.0, 0.7]), 1e-6 * np.eye(3)
    slopes = [(function(x + e) - function(x - e)) / 2e-6 for e in step]
    np.testing.assert_allclose(srcgrad.grad(function)(x), slopes, rtol=1e-6)


def test_scipys_own_where_there_are_no_variables():
    S = sparse.csr_array((DATA, (ROWS, COLUMNS)), shape=(3, 3))
    assert type(S) is scipy.sparse.csr_array
    assert isinstance(S, sparse.csr_array)
    expected = scipy.sparse.linalg.spsolve(S, X)
    np.testing.assert_array_equal(linalg.spsolve(S, X), expected)
    assert sparse.eye_array is scipy.sparse.eye_array
