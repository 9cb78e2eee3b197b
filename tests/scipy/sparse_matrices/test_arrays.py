"""Sparse matrices whose elements are Variables, and solutions with them."""

import numpy as np
import pytest
import scipy.sparse
from srcgrad.scipy.sparse import linalg

import srcgrad
from srcgrad.checking import gradcheck, gradgradcheck
from srcgrad.scipy import sparse
from tests.variables import variable

ROWS, COLUMNS = np.array([0, 2, 1, 0, 2]), np.array([0, 1, 1, 2, 2])
DATA, X = np.array([4.0, 2.0, -3.0, 1.0, 5.0]), np.array([1.0, -2.0, 0.5])
FIXED = scipy.sparse.csr_array((DATA, (ROWS, COLUMNS)), shape=(3, 3))


def coordinates(data):
    return data, (ROWS, COLUMNS)


def compressed(data):
    known = scipy.sparse.csr_array((np.arange(5), (ROWS, COLUMNS)))
    return data[known.data], known.indices, known.indptr


def whole(data):
    return scipy.sparse.csr_array(coordinates(np.arange(5) + 1.0)).toarray() * data[0]


@pytest.mark.parametrize("kind", ["csr_matrix", "csc_matrix", "coo_matrix"])
def test_matrices_are_arrays_with_another_product(kind):
    S = getattr(sparse, kind)(coordinates(variable(DATA)), shape=(3, 3))
    expected = getattr(scipy.sparse, kind)(coordinates(DATA), shape=(3, 3))
    np.testing.assert_allclose((S @ X).data, expected @ X)


@pytest.mark.parametrize("kind", ["csr_array", "csc_array", "coo_array", "csr_matrix"])
@pytest.mark.parametrize("form", [coordinates, compressed, whole])
def test_products_by_the_elements(kind, form):
    if kind == "coo_array" and form is compressed:
        return

    def call(data, x):
        S = getattr(sparse, kind)(form(data), shape=(3, 3))
        return S @ x, x @ S, S.T @ np.stack([x, x], axis=1)

    arrays = [np.asarray(out) for out in call(DATA, X)]
    for out, expected in zip(call(variable(DATA), X), arrays, strict=True):
        np.testing.assert_allclose(out.data, expected, rtol=1e-14)
    assert gradcheck(call, (DATA, X))
    assert gradgradcheck(call, (DATA, X))


@pytest.mark.parametrize("kind", ["bsr_array", "dok_array", "lil_matrix"])
def test_other_formats_of_whole_arrays(kind):
    def call(data):
        return getattr(sparse, kind)(np.reshape(data[:4], (2, 2))) @ X[:2]

    expected = getattr(scipy.sparse, kind)(DATA[:4].reshape(2, 2)) @ X[:2]
    np.testing.assert_allclose(call(variable(DATA)).data, expected)
    assert gradcheck(call, (DATA,))


def test_blocks():
    def call(data):
        blocks = data, np.array([1, 0, 1]), np.array([0, 1, 3])
        return sparse.bsr_array(blocks, shape=(4, 4)).toarray()

    blocks = np.arange(1.0, 13.0).reshape(3, 2, 2)
    np.testing.assert_array_equal(call(variable(blocks)).data, call(blocks))
    assert gradcheck(call, (blocks,))


def test_a_tuple_is_a_shape_to_some_formats():
    with pytest.raises(srcgrad.NoRuleError, match="takes it for a shape"):
        sparse.lil_array(coordinates(variable(DATA)))


def test_elements_at_one_place_add_up():
    data = variable([1.0, 2.0, 4.0])
    S = sparse.csr_array((data, ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    np.testing.assert_array_equal(S.toarray().data, [[0.0, 3.0], [4.0, 0.0]])
    b = np.array([6.0, 8.0])
    np.testing.assert_allclose(linalg.spsolve(S, b).data, [2.0, 2.0])


def test_diagonals():
    def call(main, upper):
        S = sparse.diags_array([main, upper, 1.0], offsets=[0, 1, -1], shape=(3, 3))
        return S @ X, S.toarray()

    expected = call(DATA[:3], DATA[:2])
    found = call(variable(DATA[:3]), DATA[:2])
    np.testing.assert_allclose(found[1].data, expected[1])
    assert gradcheck(call, (DATA[:3], DATA[:2]))
    assert isinstance(expected[1], np.ndarray)
    same = sparse.diags(variable(X)).toarray()
    np.testing.assert_array_equal(same.data, np.diag(X))


@pytest.mark.parametrize("kind", ["dia_array", "dia_matrix"])
def test_diagonals_by_their_columns(kind):
    rows = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])

    def call(rows):
        return getattr(sparse, kind)((rows, [0, 1]), shape=(3, 3)).toarray()

    np.testing.assert_array_equal(call(variable(rows)).data, call(rows))
    assert gradcheck(call, (rows,))


def test_what_else_there_is():
    S = sparse.csr_array((variable(DATA), (ROWS, COLUMNS)), shape=(3, 3))
    dense = FIXED.toarray()
    assert (S.shape, S.ndim, S.nnz, S.dtype) == ((3, 3), 2, 5, np.float64)
    assert S.tocsr() is S
    assert sparse.csc_array(S) is S
    for found, expected in (
        (2.0 * S, 2.0 * dense),
        (-S / X, -dense / X),
        (S.multiply(FIXED), dense * dense),
        (S.multiply(S.transpose()), dense * dense.T),
        (S @ S, dense @ dense),
        (FIXED @ S, dense @ dense),
        (S @ FIXED, dense @ dense),
    ):
        np.testing.assert_allclose(found.toarray().data, expected)
    for found, expected in (
        (np.eye(3) @ S, dense),
        (S.diagonal(), np.diagonal(dense)),
        (S.sum(), dense.sum()),
        (S.sum(axis=0), dense.sum(axis=0)),
        (S.dot(X), dense @ X),
    ):
        np.testing.assert_allclose(found.data, expected)
    x = variable(X)
    np.testing.assert_allclose((x * FIXED).toarray().data, X * dense)
    with pytest.raises(srcgrad.NoRuleError, match=r"no `sqrt` .* use `.toarray\(\)`"):
        S.sqrt()
    with pytest.raises(AttributeError):
        S.unknown  # noqa: B018


@pytest.mark.parametrize("shape", [(3,), (3, 1), (3, 2)])
def test_solutions(shape):
    b = np.linspace(1.0, 2.0, int(np.prod(shape))).reshape(shape)

    def solve(data, b):
        S = sparse.csc_array((data, (ROWS, COLUMNS)), shape=(3, 3))
        return linalg.spsolve(S, b)

    np.testing.assert_allclose(solve(variable(DATA), b).data, solve(DATA, b))
    assert gradcheck(solve, (DATA, b))
    assert gradgradcheck(solve, (DATA, b))
    assert gradcheck(lambda b: linalg.spsolve(FIXED, b), (b,))


def test_other_ways_to_solve():
    S = FIXED + 0.0
    lower = scipy.sparse.tril(S).tocsr()
    for call in (
        lambda b: linalg.factorized(S)(b),
        lambda b: linalg.spsolve_triangular(lower, b),
        lambda b: linalg.spsolve_triangular(lower, b, unit_diagonal=True),
        lambda b: linalg.spsolve_triangular(lower.T, b, lower=False),
        lambda b: linalg.expm_multiply(S, b),
    ):
        np.testing.assert_allclose(call(variable(X)).data, call(X), rtol=1e-12)
        assert gradcheck(call, (X,))
        assert gradgradcheck(call, (X,))
    z = X + 1j * X[::-1]
    assert gradcheck(lambda b: linalg.factorized(S * (1.0 + 1.0j))(b), (z,))
    data = variable(DATA)
    made = sparse.csc_array((data, (ROWS, COLUMNS)), shape=(3, 3))
    np.testing.assert_allclose(linalg.factorized(made)(X).data, linalg.spsolve(S, X))


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


def test_what_is_refused():
    made = sparse.csr_array((variable(DATA), (ROWS, COLUMNS)), shape=(3, 3))
    for call, message in (
        (lambda: linalg.spsolve(made, FIXED), "a sparse right side"),
        (lambda: sparse.csr_array(variable(DATA)), "of these arguments"),
        (
            lambda: sparse.csr_array((variable(DATA), (ROWS, COLUMNS)), dtype=int),
            "with `dtype`",
        ),
    ):
        with pytest.raises(srcgrad.NoRuleError, match=message):
            call()
    with pytest.raises(srcgrad.NoRuleError, match="does not write into"):
        made[0, 0] = 1.0
    with pytest.raises(ValueError, match="dimension mismatch"):
        made @ scipy.sparse.eye_array(2)
    with pytest.raises(np.linalg.LinAlgError, match="not lower triangular"):
        linalg.spsolve_triangular(made, X)
    with pytest.raises(ValueError, match="index 2 exceeds"):
        sparse.csr_array((variable(DATA), (ROWS, COLUMNS)), shape=(2, 2))
