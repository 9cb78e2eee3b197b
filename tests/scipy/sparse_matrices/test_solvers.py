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


TALL = np.array([[1.0, 2.0, 0.0], [3.0, 4.0, 0.0], [0.0, 1.0, -1.0], [2.0, 0.0, 1.0]])


@pytest.mark.parametrize("name", ["lsqr", "lsmr"])
@pytest.mark.parametrize("damp", [0.0, 0.3])
@pytest.mark.parametrize("start", [None, np.array([1.0, -1.0, 0.5])])
def test_least_squares(name, damp, start):
    places, right = np.nonzero(TALL), np.array([1.0, 2.0, -1.0, 0.5])
    options = {"x0": start, "atol": 1e-14, "btol": 1e-14}
    if damp:
        options["damp"] = damp

    def call(data, b):
        A = sparse.csr_array((data, places), shape=TALL.shape)
        found = getattr(sparse.linalg, name)(A, b, **options)
        return [found[0], found[3], found[8 if name == "lsqr" else 7]]

    args = TALL[places], right
    for found, expected in zip(call(*map(variable, args)), call(*args), strict=True):
        np.testing.assert_allclose(found.data, expected, atol=1e-10)
    assert gradcheck(call, args)
    assert gradgradcheck(call, args)


def test_what_has_no_derivative():
    operator = sparse.linalg.LinearOperator((3, 3), matvec=lambda x: 2.0 * x)
    with pytest.raises(srcgrad.NoRuleError, match="of an operator"):
        sparse.linalg.cg(operator, variable(B))
    with pytest.raises(srcgrad.NoRuleError, match="calc_var"):
        sparse.linalg.lsqr(matrix(variable(DATA)), B, calc_var=True)
