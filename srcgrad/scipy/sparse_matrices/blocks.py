"""``scipy.sparse``: matrices of Variables put together from others.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import sparse
>>> data = srcgrad.Variable(np.array([2.0, 3.0]), requires_grad=True)
>>> S = sparse.vstack([sparse.diags_array(data), sparse.eye_array(2)])
>>> S.toarray().sum().backward()
>>> data.grad.data
array([1., 1.])
"""

import functools

import numpy as np
from scipy import sparse

from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.libraries import LOOKING, REPLACEMENTS
from srcgrad.scipy.sparse_matrices.arrays import (
    SparseArray,
    held,
    is_matrix,
    is_plain,
    placed,
)
from srcgrad.scipy.sparse_matrices.making import diagonals_of
from srcgrad.scipy.sparse_matrices.operators import dense_matrix, raw_matrix


def entries(matrix):
    """The elements of a matrix, sparse or not, their places, and its shape."""
    if not isinstance(matrix, SparseArray) and first_variable(matrix) is not None:
        places = np.nonzero(raw_of(matrix))
        return matrix[places], *places, np.shape(matrix)
    data, pattern = held(matrix)
    return data, *pattern.places, pattern.shape


def put_together(blocks):
    """Rows of blocks, with None for zeros."""
    known = [[None if b is None else entries(b) for b in row] for row in blocks]
    heights = [next(b[3][0] for b in row if b is not None) for row in known]
    columns = zip(*known, strict=True)
    widths = [next(b[3][1] for b in column if b is not None) for column in columns]
    down = np.cumsum([0, *heights])
    across = np.cumsum([0, *widths])
    data, rows, places = [], [], []
    for i, row in enumerate(known):
        for j, block in enumerate(row):
            if block is not None:
                if block[3] != (heights[i], widths[j]):
                    raise ValueError(f"blocks[{i},:] has incompatible dimensions")
                data.append(block[0])
                rows.append(block[1] + down[i])
                places.append(block[2] + across[j])
    where = np.concatenate(rows), np.concatenate(places)
    return placed(np.concatenate(data), where, (int(down[-1]), int(across[-1])))


def of_kind(made, *items):
    """The same as a matrix, unless one of those that it is made of is an array."""
    kinds = {is_matrix(item) for item in items if hasattr(item, "nnz")}  # not dense
    made.is_matrix = False if False in kinds else None if None in kinds else True
    return made


def made_of(original, arrange):
    """Register a function of blocks, arranged in rows."""

    @functools.wraps(original)
    def replacement(blocks, *args, **kwargs):
        leaves = [
            each
            for row in blocks
            for each in (row if isinstance(row, (list, tuple)) else [row])
        ]
        if all(is_plain(each) for each in leaves):
            return original(blocks, *args, **kwargs)
        return of_kind(put_together(arrange(list(blocks))), *leaves)

    REPLACEMENTS[original] = replacement
    LOOKING.add(replacement)


def on_diagonal(blocks):
    """Zeros beside each."""
    shapes = [entries(block)[3] for block in blocks]
    return [
        [
            block if i == j else sparse.csr_array((shapes[i][0], shape[1]))
            for j, shape in enumerate(shapes)
        ]
        for i, block in enumerate(blocks)
    ]


made_of(sparse.hstack, lambda blocks: [blocks])
made_of(sparse.vstack, lambda blocks: [[block] for block in blocks])
made_of(sparse.bmat, lambda blocks: blocks)
made_of(sparse.block_array, lambda blocks: blocks)
made_of(sparse.block_diag, on_diagonal)


@functools.wraps(sparse.kron)
def kron(A, B, format=None):
    if is_plain(A, B):
        return sparse.kron(A, B, format)
    a, rows, columns, (_, _) = entries(A)
    b, inner_rows, inner_columns, (m, n) = entries(B)
    shape = entries(A)[3]
    places = (
        np.ravel(rows[:, None] * m + inner_rows),
        np.ravel(columns[:, None] * n + inner_columns),
    )
    whole = int(shape[0] * m), int(shape[1] * n)
    return of_kind(placed(np.reshape(a[:, None] * b, -1), places, whole), A, B)


@functools.wraps(sparse.kronsum)
def kronsum(A, B, format=None):
    if is_plain(A, B):
        return sparse.kronsum(A, B, format)
    units = [sparse.eye_array(np.shape(matrix)[0]) for matrix in (A, B)]
    return of_kind(kron(units[1], A) + kron(B, units[0]), A, B)


# ----- Parts, and the same turned -----
def side_of(original, keeps):
    """``tril`` or ``triu``: the elements of some places."""

    @functools.wraps(original)
    def replacement(A, k=0, format=None):
        if is_plain(A):
            return original(A, k, format)
        data, rows, columns, shape = entries(A)
        kept = keeps(rows + k, columns)
        return of_kind(placed(data[kept], (rows[kept], columns[kept]), shape), A)

    return replacement


@functools.wraps(sparse.find)
def find(A):
    if is_plain(A):
        return sparse.find(A)
    rows, columns, _ = sparse.find(raw_matrix(A))
    return rows, columns, dense_matrix(A)[rows, columns]


@functools.wraps(sparse.permute_dims)
def permute_dims(A, axes=None, copy=False):
    if not isinstance(A, SparseArray):
        return sparse.permute_dims(A, axes, copy)
    order = sparse.permute_dims(sparse.coo_array([[0.0], [1.0]]), axes)  # its errors
    return A.T if order.shape == (1, 2) else A


@functools.wraps(sparse.swapaxes)
def swapaxes(A, axis1, axis2):
    if not isinstance(A, SparseArray):
        return sparse.swapaxes(A, axis1, axis2)
    order = sparse.swapaxes(sparse.coo_array([[0.0], [1.0]]), axis1, axis2)
    return A.T if order.shape == (1, 2) else A


# From SciPy 1.18 on.
_transpose = getattr(sparse, "matrix_transpose", None)
_newer = ((_transpose, lambda A: A.T if isinstance(A, SparseArray) else A.mT),)

for _original, _replacement in (
    *(_newer if _transpose else ()),
    (sparse.kron, kron),
    (sparse.kronsum, kronsum),
    (sparse.tril, side_of(sparse.tril, np.greater_equal)),
    (sparse.triu, side_of(sparse.triu, np.less_equal)),
    (sparse.find, find),
    (sparse.permute_dims, permute_dims),
    (sparse.swapaxes, swapaxes),
    (sparse.spdiags, diagonals_of(sparse.spdiags)),
):
    REPLACEMENTS[_original] = _replacement
    LOOKING.add(_replacement)
