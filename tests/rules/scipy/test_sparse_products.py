"""Every sample of the chapter; sparse matrices of SciPy's with bare Variables."""

import numpy as np
import pytest
from scipy import sparse

import srcgrad
from tests.samples.scipy.sparse import MATRIX
from tests.variables import variable

FORMATS = ("bsr", "coo", "csc", "csr", "dia", "dok", "lil")
KINDS = [getattr(sparse, f"{f}_{k}") for f in FORMATS for k in ("array", "matrix")]


@pytest.mark.parametrize("kind", KINDS)
def test_products_with_every_kind_of_matrix(kind):
    S, x = kind(MATRIX), np.array([1.0, -2.0, 0.5])
    for call in (lambda S, x: S @ x, lambda S, x: x @ S, lambda S, x: S @ x[:, None]):
        np.testing.assert_allclose(call(S, variable(x)).data, call(S, x), rtol=1e-14)
        assert srcgrad.gradcheck(lambda x, call=call: call(S, x), (x,))


def test_a_product_of_spmatrices_is_written_with_a_star():
    S, x = sparse.csr_matrix(MATRIX), variable([1.0, -2.0, 0.5])
    np.testing.assert_array_equal((S * x).data, MATRIX @ x.data)
    np.testing.assert_array_equal((x * S).data, x.data @ MATRIX)


def test_dot_is_a_product():
    S, x = sparse.csr_array(MATRIX), variable([1.0, -2.0, 0.5])
    S.dot(x).sum().backward()
    np.testing.assert_allclose(x.grad.data, MATRIX.sum(axis=0))


def test_sparse_vectors():
    s, x = sparse.coo_array(np.array([0.0, 2.0, 3.0])), variable([1.0, -2.0, 0.5])
    assert (s @ x).item() == (x @ s).item() == -2.5
    assert (variable(np.eye(3)) @ s).data.tolist() == [0.0, 2.0, 3.0]


def test_sums_are_dense():
    S, x = sparse.csr_array(MATRIX), variable(np.ones((3, 3)))
    np.testing.assert_array_equal((S + x).data, MATRIX + 1.0)
    np.testing.assert_array_equal((x - S).data, 1.0 - MATRIX)


def test_without_gradients_the_result_is_a_variable_too():
    S, x = sparse.csr_array(MATRIX), srcgrad.Variable(np.ones(3))
    out = S @ x
    assert isinstance(out, srcgrad.Variable)
    assert not out.requires_grad


def test_a_matrix_that_is_changed_later():
    S, x = sparse.csr_array(MATRIX), variable(np.ones(3))
    out = (S @ x).sum()
    S.data[:] = 0.0
    out.backward()
    np.testing.assert_allclose(x.grad.data, MATRIX.sum(axis=0))


def test_shapes_that_do_not_fit():
    S = sparse.csr_array(MATRIX)
    with pytest.raises(ValueError, match="dimension mismatch"):
        S @ variable(np.ones(2))


def test_what_has_no_derivative():
    S, x = sparse.csr_array(MATRIX), variable(np.ones((3, 3)))
    with pytest.raises(srcgrad.NoRuleError, match="divide on a sparse matrix"):
        x / S
    with pytest.raises(srcgrad.NoRuleError, match=r"not of 3"):
        sparse.coo_array(np.ones((2, 2, 2))) @ variable(np.ones(2))
    with pytest.raises(TypeError, match=r"srcgrad\.scipy"):
        S.multiply(x)
    with pytest.raises(TypeError, match=r"srcgrad\.scipy"):
        S.maximum(x)
