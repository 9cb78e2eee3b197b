"""Matrices as operators, and SuperLU's factors."""

import numpy as np
import pytest
import scipy.sparse
from srcgrad.scipy.sparse import linalg

import srcgrad
from srcgrad.checking import gradcheck, gradgradcheck
from srcgrad.scipy import sparse
from tests.variables import variable

DATA = np.array([4.0, 1.0, -2.0, 3.0, 0.5, 2.0])
PLACES = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 2, 0, 1, 1, 2])
X = np.array([1.0, -2.0, 0.5])


def matrix(data):
    return sparse.csc_array((data, PLACES), shape=(3, 3))


def dense(data):
    return matrix(data).toarray()


CALLS = {
    "matvec": lambda A, x: A.matvec(x),
    "matmat": lambda A, x: A.matmat(np.stack([x, 2.0 * x], axis=1)),
    "rmatvec": lambda A, x: A.rmatvec(x),
    "rmatmat": lambda A, x: A.rmatmat(np.stack([x, 2.0 * x], axis=1)),
    "dot": lambda A, x: A.dot(x),
    "@": lambda A, x: A @ x,
    ".T @": lambda A, x: A.T @ x,
    ".H @": lambda A, x: A.H @ x,
    "cg": lambda A, x: linalg.gmres(A, x, rtol=1e-13)[0],
    "lsqr": lambda A, x: linalg.lsqr(A, x, atol=1e-13, btol=1e-13)[0],
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("form", [matrix, dense])
def test_operators(name, form):
    def call(data, x):
        return CALLS[name](linalg.aslinearoperator(form(data)), x)

    expected = call(DATA, X)
    for data, x in ((DATA, variable(X)), (variable(DATA), X)):
        np.testing.assert_allclose(call(data, x).data, expected, atol=1e-9)
    assert gradcheck(lambda x: call(DATA, x), (X,))
    if name not in ("cg", "lsqr"):  # whose differences are too coarse
        assert gradcheck(call, (DATA, X))


@pytest.mark.parametrize("trans", ["N", "T", "H"])
def test_factors(trans):
    def call(data, b):
        return linalg.splu(matrix(data)).solve(b, trans)

    b = X[:, None] * np.array([1.0, 2.0])
    np.testing.assert_allclose(call(variable(DATA), b).data, call(DATA, b))
    assert gradcheck(call, (DATA, b))
    assert gradgradcheck(call, (DATA, b))
    assert gradcheck(lambda b: call(DATA, b), (b,))
    assert gradcheck(call, (DATA * (1.0 + 0.5j), X + 0.0j))


def test_factors_are_scipys():
    S = matrix(DATA)
    found, expected = linalg.splu(S), scipy.sparse.linalg.splu(S)
    np.testing.assert_array_equal(found.perm_r, expected.perm_r)
    assert (found.L != expected.L).nnz == 0
    made = linalg.splu(matrix(variable(DATA)))
    np.testing.assert_array_equal(made.perm_c, expected.perm_c)
    with pytest.raises(srcgrad.NoRuleError, match="by its factor `U`"):
        made.U  # noqa: B018


def test_incomplete_factors_by_the_right_side():
    assert gradcheck(lambda b: linalg.spilu(matrix(DATA)).solve(b), (X,))
    with pytest.raises(srcgrad.NoRuleError, match="use splu"):
        linalg.spilu(matrix(variable(DATA)))


def test_what_is_an_error():
    A = linalg.aslinearoperator(matrix(variable(DATA)))
    with pytest.raises(ValueError, match="dimension mismatch"):
        A.matvec(np.ones(2))
    with pytest.raises(ValueError, match="ndim"):
        linalg.aslinearoperator(variable(X))
    with pytest.raises(srcgrad.NoRuleError, match="multiplied or scaled"):
        A.dot(A)
    assert type(linalg.aslinearoperator(matrix(DATA)).dot(2.0)) is not np.ndarray
    operator = linalg.LinearOperator((3, 3), matvec=lambda x: x)
    assert linalg.aslinearoperator(operator) is operator
