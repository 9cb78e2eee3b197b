"""Sparse matrices of Variables, put together."""

import numpy as np
import pytest
import scipy.sparse

import srcgrad
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
    "kronsum": lambda S: sparse.kronsum(sparse.vstack([S, PLAIN[:1]]), np.eye(2)),
    "tril": lambda S: sparse.tril(S, -1),
    "triu": lambda S: sparse.triu(S),
    "permute_dims": sparse.permute_dims,
    "swapaxes": lambda S: sparse.swapaxes(S, 0, -1),
    "permute_dims, none": lambda S: sparse.permute_dims(S, (0, 1)),
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


def test_elements_and_their_places():
    twice = np.concatenate([DATA, [5.0]])

    def call(data):
        S = sparse.csr_array((data, ([0, 1, 1, 0], [1, 0, 2, 1])), shape=(2, 3))
        return sparse.find(S)[2]

    made = scipy.sparse.csr_array((twice, ([0, 1, 1, 0], [1, 0, 2, 1])))
    for found, expected in zip(sparse.find(made), scipy.sparse.find(made), strict=True):
        np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(call(variable(twice)).data, call(twice))
    assert gradcheck(call, (twice,))


def test_diagonals_by_their_offsets():
    rows = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])

    def call(rows):
        return sparse.spdiags(rows, [0, 1], 3, 3).toarray()

    np.testing.assert_array_equal(call(variable(rows)).data, call(rows))
    assert gradcheck(call, (rows,))


def test_what_has_three_dimensions():
    with pytest.raises(srcgrad.NoRuleError, match="two dimensions"):
        sparse.expand_dims(matrix(variable(DATA)))
