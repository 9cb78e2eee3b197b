"""Sparse matrices of Variables, put together."""

import numpy as np
import pytest
import scipy.sparse

from srcgrad.checking import gradcheck
from srcgrad.scipy import sparse
from tests.variables import variable

DATA = np.array([1.0, -2.0, 3.0])
PLAIN = scipy.sparse.csr_array(np.array([[0.0, 1.0, 0.0], [2.0, 0.0, 4.0]]))


def matrix(data):
    return sparse.csr_array((data, ([0, 1, 1], [1, 0, 2])), shape=(2, 3))


CALLS = {
    "hstack": lambda S: sparse.hstack([S, PLAIN]),
    "vstack": lambda S: sparse.vstack([PLAIN, S, S]),
    "bmat": lambda S: sparse.bmat([[S, None], [PLAIN, PLAIN]]),
    "block_array": lambda S: sparse.block_array([[S, S], [None, PLAIN]]),
    "block_diag": lambda S: sparse.block_diag([S, PLAIN]),
    "kron": lambda S: sparse.kron(S, PLAIN),
    "kron with ones": lambda S: sparse.kron(np.ones((1, 2)), S),
}


@pytest.mark.parametrize("name", CALLS)
def test_blocks(name):
    def call(data):
        return CALLS[name](matrix(data)).toarray()

    np.testing.assert_array_equal(call(variable(DATA)).data, call(DATA))
    assert scipy.sparse.issparse(CALLS[name](PLAIN))
    assert gradcheck(call, (DATA,))


def test_blocks_that_do_not_fit():
    with pytest.raises(ValueError, match="incompatible"):
        sparse.vstack([matrix(variable(DATA)), np.eye(2)])


def test_a_dense_block():
    found = sparse.hstack([variable(np.eye(2)), PLAIN]).toarray()
    np.testing.assert_array_equal(found.data[:, :2], np.eye(2))
