"""Functions of sparse matrices, by their elements."""

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse
from srcgrad.scipy.sparse import linalg

import srcgrad
from srcgrad.checking import gradcheck, gradgradcheck
from srcgrad.scipy import sparse
from tests.differences import slope_of
from tests.variables import variable

DATA = np.array([2.0, 0.5, -1.0, 0.3, 1.5])
PLACES = np.array([0, 0, 1, 1, 2]), np.array([0, 1, 1, 0, 2])
X = np.array([1.0, -2.0, 0.5])


def matrix(data):
    return sparse.csc_array((data, PLACES), shape=(3, 3))


CALLS = {
    "inv": lambda S: linalg.inv(S).toarray(),
    "expm": lambda S: linalg.expm(S).toarray(),
    "matrix_power": lambda S: linalg.matrix_power(S, 3) @ X,
    "no power": lambda S: linalg.matrix_power(S, 0) @ X + linalg.norm(S),
    "norm": linalg.norm,
    "norm of the largest column": lambda S: linalg.norm(S, 1),
    "norms of rows": lambda S: linalg.norm(S, axis=1),
    "onenormest": lambda S: linalg.onenormest(S),
    "onenormest with vectors": lambda S: linalg.onenormest(S, compute_w=True),
    "expm_multiply": lambda S: linalg.expm_multiply(S, X),
    "expm_multiply at times": lambda S: linalg.expm_multiply(
        S, np.stack([X, X], axis=1), start=0.5, stop=1.0, num=2
    ),
    "funm_multiply_krylov": lambda S: linalg.funm_multiply_krylov(
        scipy.linalg.expm, S, X, t=0.5
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_by_the_elements(name):
    def call(data):
        return CALLS[name](matrix(data))

    found, expected = call(variable(DATA)), call(DATA)
    if not isinstance(expected, tuple):
        found, expected = [found], [expected]
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours.data, theirs, atol=1e-12)
    assert gradcheck(call, (DATA,))
    if name in ("inv", "matrix_power", "norm", "onenormest", "expm_multiply"):
        assert gradgradcheck(call, (DATA,))


def test_traced_they_give_the_same():
    def height(data):
        S = scipy.sparse.csc_array((data, PLACES), shape=(3, 3))
        return np.sum(scipy.sparse.linalg.expm(S) @ X) + scipy.sparse.linalg.norm(S)

    traced = srcgrad.trace(height)
    for data in (DATA, 2.0 * DATA, DATA[::-1].copy()):
        np.testing.assert_allclose(traced(variable(data)).item(), height(data))
        slopes = slope_of(height, data)
        np.testing.assert_allclose(srcgrad.grad(height)(data), slopes, rtol=1e-6)


def test_where_the_result_has_elements():
    found = linalg.inv(matrix(variable(DATA)))
    assert found.nnz == 5  # as the matrix, whose blocks stay apart


def test_times_and_a_vector():
    S = scipy.sparse.csr_array(matrix(DATA))

    def call(b, start):
        return linalg.expm_multiply(S, b, start=start, stop=1.0, num=2)

    args = X, np.array(0.25)
    np.testing.assert_allclose(call(*map(variable, args)).data, call(*args))
    assert gradcheck(call, args)
    dense = variable(S.toarray())
    np.testing.assert_allclose(linalg.expm(dense).data, scipy.linalg.expm(dense.data))


def test_what_is_an_error():
    with pytest.raises(TypeError, match="sparse"):
        linalg.inv(variable(np.eye(2)))
    with pytest.raises(TypeError, match="not sparse"):
        linalg.norm(variable(np.eye(2)))
    with pytest.raises(ValueError, match="exponent"):
        linalg.matrix_power(matrix(variable(DATA)), -1)
    with pytest.raises(ValueError, match="1D"):
        linalg.funm_multiply_krylov(np.exp, matrix(DATA), variable(np.eye(3)))
    with pytest.raises(srcgrad.NoRuleError, match="does not see"):
        linalg.funm_multiply_krylov(lambda A: A * variable(1.0), matrix(DATA), X)
