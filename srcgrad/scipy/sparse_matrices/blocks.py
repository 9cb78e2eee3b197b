"""``scipy.sparse``: matrices of Variables put together from others."""

import itertools

import numpy as np
from scipy import sparse

from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.libraries import LOOKING, REPLACEMENTS
from srcgrad.scipy.sparse_matrices.arrays import (
    SparseArray,
    held,
    in_place_of,
    is_matrix,
    is_plain,
    placed,
)
from srcgrad.scipy.sparse_matrices.linear_operators import dense_matrix, raw_matrix
from srcgrad.scipy.sparse_matrices.making import diagonals_of


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


def leaves_of(blocks):
    rows = [row if isinstance(row, (list, tuple)) else [row] for row in blocks]
    return list(itertools.chain(*rows))


def is_of_numbers(blocks, *args):
    return all(is_plain(each) for each in leaves_of(blocks))


def together(blocks, rows):
    """Blocks that are arranged in rows, of their kind."""
    return of_kind(put_together(rows), *leaves_of(blocks))


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


for _originals, _formula in (
    ([sparse.hstack], lambda blocks: together(blocks, [list(blocks)])),
    ([sparse.vstack], lambda blocks: together(blocks, [[each] for each in blocks])),
    ([sparse.bmat, sparse.block_array], lambda blocks: together(blocks, list(blocks))),
    ([sparse.block_diag], lambda mats: together(mats, on_diagonal(list(mats)))),
):
    in_place_of(*_originals, is_plain=is_of_numbers)(_formula)


@in_place_of(sparse.kron)
def kron(A, B):
    a, rows, columns, shape = entries(A)
    b, inner_rows, inner_columns, (m, n) = entries(B)
    places = (
        np.ravel(rows[:, None] * m + inner_rows),
        np.ravel(columns[:, None] * n + inner_columns),
    )
    whole = int(shape[0] * m), int(shape[1] * n)
    return of_kind(placed(np.reshape(a[:, None] * b, -1), places, whole), A, B)


@in_place_of(sparse.kronsum)
def kronsum(A, B):
    units = [sparse.eye_array(np.shape(matrix)[0]) for matrix in (A, B)]
    return of_kind(kron(units[1], A) + kron(B, units[0]), A, B)


# ----- Parts, and the same turned -----
def side(A, k, keeps):
    """``tril`` or ``triu``: the elements of some places."""
    data, rows, columns, shape = entries(A)
    kept = keeps(rows + k, columns)
    return of_kind(placed(data[kept], (rows[kept], columns[kept]), shape), A)


in_place_of(sparse.tril)(lambda A, k: side(A, k, np.greater_equal))
in_place_of(sparse.triu)(lambda A, k: side(A, k, np.less_equal))


def turned(A, turn):
    """``turn`` is tried on a small matrix first, for its errors."""
    return A.T if turn(sparse.coo_array([[0.0], [1.0]])).shape == (1, 2) else A


@in_place_of(sparse.permute_dims)
def permute_dims(A, axes):
    return turned(A, lambda small: sparse.permute_dims(small, axes))


@in_place_of(sparse.swapaxes)
def swapaxes(A, axis1, axis2):
    return turned(A, lambda small: sparse.swapaxes(small, axis1, axis2))


if hasattr(sparse, "matrix_transpose"):  # from SciPy 1.18 on
    in_place_of(sparse.matrix_transpose)(lambda A: A.T)


@in_place_of(sparse.find)
def find(A):
    rows, columns, _ = sparse.find(raw_matrix(A))
    return rows, columns, dense_matrix(A)[rows, columns]


REPLACEMENTS[sparse.spdiags] = diagonals_of(sparse.spdiags)
LOOKING.add(REPLACEMENTS[sparse.spdiags])
