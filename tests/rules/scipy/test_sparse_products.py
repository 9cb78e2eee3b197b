"""Every sample of the chapter; sparse matrices of SciPy's with bare Variables."""

import numpy as np
import pytest
from scipy import sparse

import srcgrad
from tests.samples.scipy.sparse_products import MATRIX
from tests.variables import variable

FORMATS = ("bsr", "coo", "csc", "csr", "dia", "dok", "lil")
KINDS = [getattr(sparse, f"{f}_{k}") for f in FORMATS for k in ("array", "matrix")]


@pytest.mark.parametrize("kind", KINDS)
def test_products_with_every_kind_of_matrix(kind):
    S, x = kind(MATRIX), np.array([1.0, -2.0, 0.5])
    for call in (lambda S, x: S @ x, lambda S, x: x @ S, lambda S, x: S @ x[:, None]):
        np.testing.assert_allclose(call(S, variable(x)).data, call(S, x), rtol=1e-14)
        assert srcgrad.gradcheck(lambda x, call=call: call(S, x), (x,))


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
