"""What iterations find has the slope of the exact solution."""

import numpy as np
import pytest
import scipy.sparse

import srcgrad
from srcgrad.checking import gradcheck, gradgradcheck
from srcgrad.scipy import sparse
from tests.variables import variable

DATA, B = np.array([4.0, 1.0, 1.0, 3.0, 0.5, 0.5, 2.0]), np.array([1.0, 2.0, -1.0])
PLACES = np.array([0, 0, 1, 1, 1, 2, 2]), np.array([0, 1, 0, 1, 2, 1, 2])


def matrix(data):
    return sparse.csr_array((data, PLACES), shape=(3, 3))


@pytest.mark.parametrize(
    "name", "bicg bicgstab cg cgs gcrotmk gmres lgmres minres qmr tfqmr".split()
)
def test_solvers(name):
    solve = getattr(sparse.linalg, name)

    def call(data, b):
        x, info = solve(matrix(data), b, rtol=1e-13)
        assert info == 0
        return x

    found = srcgrad.jacobian(call, argnums=(0, 1))(DATA, B)
    exact = srcgrad.jacobian(
        lambda data, b: sparse.linalg.spsolve(matrix(data), b), argnums=(0, 1)
    )(DATA, B)
    for ours, expected in zip(found, exact, strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-8, atol=1e-10)
    assert type(call(DATA, B)) is np.ndarray


def test_twice_and_of_a_dense_matrix():
    dense = scipy.sparse.csr_array((DATA, PLACES), shape=(3, 3)).toarray()

    def call(A, b):
        return sparse.linalg.cg(A, b, rtol=1e-14)[0]

    assert gradgradcheck(lambda b: call(dense, b), (B,))
    x = call(variable(dense), B)
    np.testing.assert_allclose(x.data, np.linalg.solve(dense, B))


def test_some_eigenvalues():
    def call(data, **options):
        S = matrix(data)
        return sparse.linalg.eigsh((S + S.T) / 2, 2, v0=np.ones(3), **options)

    def squared(data):
        values, vectors = call(data)
        return values, vectors**2

    found, expected = call(variable(DATA)), call(DATA)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours.data, theirs, atol=1e-10)
    assert gradcheck(squared, (DATA,))
    only = call(variable(DATA), return_eigenvectors=False)
    np.testing.assert_allclose(only.data, expected[0])


def test_what_has_no_derivative():
    operator = sparse.linalg.LinearOperator((3, 3), matvec=lambda x: 2.0 * x)
    with pytest.raises(srcgrad.NoRuleError, match="of an operator"):
        sparse.linalg.cg(operator, variable(B))
    with pytest.raises(srcgrad.NoRuleError, match="are equal"):
        sparse.linalg.eigsh(variable(np.eye(3)), 2, v0=B)
    with pytest.raises(srcgrad.NoRuleError, match="of a pair"):
        sparse.linalg.eigsh(variable(np.eye(3)), 1, np.eye(3))
