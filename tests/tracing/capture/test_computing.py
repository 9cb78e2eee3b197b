"""Sparse matrices that a traced function makes of what it computes, and solves with."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import linalg

import srcgrad
from tests.variables import variable

RNG = np.random.default_rng(5)
ROWS = np.array([0, 1, 2, 3, 0, 1, 2, 0, 3])
COLUMNS = np.array([0, 1, 2, 3, 1, 2, 3, 3, 3])


def assembled(v):
    K = sparse.csr_matrix((2.0 + v**2, (ROWS, COLUMNS)), shape=(4, 4))
    return np.sum(linalg.spsolve(K, np.ones(4)) ** 2)


def without_a_shape(v):
    K = sparse.coo_matrix((2.0 + v**2, (ROWS, COLUMNS))).tocsc()
    return np.sum((K.T @ (K @ np.arange(4.0))) ** 2)


def with_32_bits(v):
    K = sparse.csr_array((v, (ROWS.astype(np.int32), COLUMNS)), shape=(4, 4))
    return np.sum((K @ np.arange(4.0)) ** 2)


def tridiagonal(v):
    u = np.ones(9)
    for _ in range(3):
        M = sparse.diags([-v[1:], 3.0 + v**2, -v[:-1]], [-1, 0, 1], format="csc")
        u = linalg.spsolve(M, u)
    return np.sum(u**2)


def many_sides(v):
    M = sparse.diags_array([3.0 + v**2, 0.1 * v[:-1]], offsets=[0, -1])
    return np.sum(linalg.spsolve(M.tocsc(), np.outer(v, [1.0, 2.0])) ** 2)


def sums(v):
    M = sparse.diags(v) + 2.0 * sparse.diags(v**2 + 1.0) - sparse.diags(v[1:], 1) / 3.0
    return np.sum((M * np.arange(9.0)) ** 2)


def compressed(v):
    K = sparse.csr_array((v, [0, 2, 1, 0, 1, 2, 3, 0, 3], [0, 3, 6, 7, 9]))
    return np.sum((K @ np.array([1.0, -1.0, 2.0, 0.5])) ** 3)


OUTSIDE = sparse.csr_matrix(np.diag(np.arange(1.0, 10.0)) + np.eye(9, k=2))
UNIT = sparse.eye_array(9, format="csc")
LAPLACE = sparse.csr_array(2.0 * np.eye(9) - np.eye(9, k=1) - np.eye(9, k=-1))


def with_matrices_from_outside(v):
    M = OUTSIDE - 0.5 * sparse.diags(v) + v[0] * OUTSIDE - OUTSIDE * 2.0
    N = sparse.diags(v) - OUTSIDE.T
    return np.sum((M @ v) ** 2) + np.sum((-OUTSIDE @ v) * (N * v))


def implicit(v):
    M = UNIT + (0.1 + v[0] ** 2) * LAPLACE
    return np.sum(linalg.spsolve(M.tocsc(), v) ** 2)


def with_a_unit(v):
    M = sparse.eye(9, format="csr") * v[0] + OUTSIDE
    return np.sum((M @ v) ** 2) + np.sum((sparse.identity(9) - 0.1 * OUTSIDE) @ v)


COMPILED = (assembled, without_a_shape, tridiagonal, many_sides, sums, with_32_bits)
COMPILED += (compressed, with_matrices_from_outside, implicit, with_a_unit)


@pytest.mark.parametrize("function", COMPILED)
def test_matrices_made_inside_are_compiled(function):
    traced = srcgrad.trace(function)
    for _ in range(4):
        v = RNG.normal(size=9)
        value, slope = srcgrad.value_and_grad(traced)(v)
        np.testing.assert_allclose(value, function(v), rtol=1e-12)
        expected = srcgrad.grad(function)(v)
        np.testing.assert_allclose(slope, expected, rtol=1e-10, atol=1e-12)
    assert traced.stats.compiled == 3


@pytest.mark.parametrize("function", COMPILED)
def test_by_backward_and_twice(function):
    traced = srcgrad.trace(function)
    for _ in range(3):
        v, x = RNG.normal(size=(2, 9))
        found, plain = variable(v), variable(v)
        traced(found).backward()
        plain_grad = srcgrad.grad(function)(plain.data)
        np.testing.assert_allclose(found.grad.data, plain_grad, rtol=1e-9, atol=1e-12)
        product = srcgrad.hvp(traced, (v,), (x,))
        expected = srcgrad.hvp(function, (v,), (x,))
        for one, other in zip(product, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-10)


def test_other_places_are_seen():
    rows = ROWS.copy()

    @srcgrad.trace
    def call(v):
        K = sparse.csr_matrix((v, (rows, COLUMNS)), shape=(4, 4))
        return np.sum((K @ np.arange(4.0)) ** 2)

    for _ in range(4):
        v = RNG.normal(size=9)
        D = sparse.csr_matrix((v, (rows, COLUMNS)), shape=(4, 4)).toarray()
        value, slope = srcgrad.value_and_grad(call)(v)
        np.testing.assert_allclose(value, np.sum((D @ np.arange(4.0)) ** 2))
        r = 2.0 * (D @ np.arange(4.0))
        np.testing.assert_allclose(slope, r[rows] * COLUMNS)
        rows[:] = RNG.permutation(rows)
    assert call.stats.compiled == 3
    rows[0] = 4
    with pytest.raises(ValueError, match="exceeds matrix dimension"):
        call(variable(v))


def test_a_solution_with_a_matrix_from_outside():
    A = sparse.csc_matrix(np.diag([2.0, 3.0, 4.0]) + 0.5)
    traced = srcgrad.trace(lambda b: np.sum(linalg.spsolve(A, b) ** 2))
    for _ in range(3):
        b = RNG.normal(size=3)
        value, slope = srcgrad.value_and_grad(traced)(b)
        x = np.linalg.solve(A.toarray(), b)
        np.testing.assert_allclose(value, x @ x)
        np.testing.assert_allclose(slope, np.linalg.solve(A.toarray().T, 2.0 * x))
        A.data *= 1.5
    assert traced.stats.compiled == 2


@pytest.mark.parametrize(
    "call",
    [
        lambda v: np.sum(sparse.csr_array(np.outer(v, v) * (v > 0)) @ v),
        lambda v: np.sum(sparse.diags(v)[:2, :2] @ v[:2]),
        lambda v: np.sum((sparse.diags(v) @ sparse.diags(v)) @ v),
        lambda v: np.sum(sparse.diags(v).toarray() @ v),
        lambda v: np.sum(sparse.diags(v).multiply(v) @ v),
        lambda v: v @ v * sparse.diags(v).nnz,
    ],
)
def test_what_depends_on_the_pattern_stays_on_the_tape(call):
    traced = srcgrad.trace(call)
    for _ in range(3):
        v = RNG.normal(size=9)
        value, slope = srcgrad.value_and_grad(traced)(v)
        expected = srcgrad.value_and_grad(call)(v)
        np.testing.assert_allclose(value, expected[0])
        np.testing.assert_allclose(slope, expected[1])
    assert traced.stats.compiled == 0


def test_what_is_given_back_and_kept():
    kept = []

    def call(v):
        kept.append(sparse.diags(v))
        return sparse.diags(v * 2.0), sparse.csr_array(np.eye(2))

    traced = srcgrad.trace(call)
    for _ in range(3):
        v = variable(RNG.normal(size=3))
        K, constant = traced(v)
        np.testing.assert_array_equal(K.toarray().data, np.diag(2.0 * v.data))
        np.testing.assert_array_equal(kept[-1].toarray().data, np.diag(v.data))
        assert isinstance(constant, sparse.csr_array)


def test_batches():
    traced = srcgrad.trace(assembled)
    for _ in range(3):
        rows = RNG.normal(size=(3, 9))
        found = srcgrad.vmap(srcgrad.grad(traced))(rows)
        expected = [srcgrad.grad(assembled)(v) for v in rows]
        np.testing.assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize("count", [8, 10])
def test_more_elements_than_places(count):
    with pytest.raises(ValueError, match="same length"):
        srcgrad.grad(with_32_bits)(np.ones(count))
