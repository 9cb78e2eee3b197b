"""``scipy.sparse.linalg``: what iterations find, with the slope of the exact solution.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import sparse
>>> b = srcgrad.Variable(np.array([1.0, 2.0]), requires_grad=True)
>>> x, info = sparse.linalg.cg(sparse.diags_array([2.0, 4.0]), b)
>>> x.sum().backward()
>>> b.grad.data
array([0.5 , 0.25])
"""

import functools

import numpy as np
from scipy.sparse import linalg

from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.libraries import LOOKING, REPLACEMENTS
from srcgrad.rules.scipy.sparse import found_solution
from srcgrad.scipy.parameters import refuse
from srcgrad.scipy.sparse_matrices.arrays import SparseArray, held, is_plain, placed
from srcgrad.scipy.sparse_matrices.blocks import entries
from srcgrad.scipy.sparse_matrices.operators import (
    MatrixOperator,
    check_matrix,
    dense_matrix,
    raw_matrix,
)


def iterated(original):
    """``cg`` and its kin."""

    @functools.wraps(original)
    def replacement(A, b, *args, **kwargs):
        if is_plain(A, b):
            return original(A, b, *args, **kwargs)
        check_matrix(original.__name__, A)
        matrix, (data, pattern) = raw_matrix(A), of_matrix(A)
        options = {key: raw_of(item) for key, item in kwargs.items()}
        found = original(matrix, raw_of(b), *map(raw_of, args), **options)
        return (found_solution(data, pattern, b, found[0]), *found[1:])

    return replacement


def of_matrix(A):
    """The elements of a matrix, and their pattern."""
    if isinstance(A, MatrixOperator):
        return of_matrix(A.matrix)
    if isinstance(A, SparseArray) or first_variable(A) is None:
        return held(A)
    data, rows, columns, shape = entries(A)
    made = placed(data, (rows, columns), shape)
    return made.data, made.pattern


for _name in "bicg bicgstab cg cgs gcrotmk gmres lgmres minres qmr tfqmr".split():
    _original = getattr(linalg, _name)
    REPLACEMENTS[_original] = iterated(_original)
    LOOKING.add(REPLACEMENTS[_original])


# ----- Least squares -----
def nearest(A, b, damp, x0):
    """The least squares solution that is nearest to ``x0``, and its residual."""
    dense = dense_matrix(A)
    start = np.zeros(np.shape(dense)[1]) if x0 is None else x0
    rest = b - dense @ start
    if damp:
        n = np.shape(dense)[1]
        matrix = np.concatenate([dense, damp * np.eye(n)])
        step = np.linalg.lstsq(matrix, np.concatenate([rest, np.zeros(n)]))[0]
    else:
        step = np.linalg.lstsq(dense, rest)[0]
    return start + step, rest - dense @ step, step


def least_squares(original):
    """``lsqr`` or ``lsmr``: ``x`` and the norms of residuals and of ``x``."""

    @functools.wraps(original)
    def replacement(A, b, damp=0.0, *args, **kwargs):
        x0 = kwargs.get("x0")
        if is_plain(A, b, damp, x0):
            return original(A, b, damp, *args, **kwargs)
        check_matrix(original.__name__, A)
        if kwargs.get("calc_var"):
            refuse(f"sparse.linalg.{original.__name__}", "with `calc_var`")
        plain = {key: raw_of(item) for key, item in kwargs.items()}
        found = original(raw_matrix(A), raw_of(b), raw_of(damp), *args, **plain)
        b = np.reshape(b, -1)
        x, residual, step = nearest(A, b, damp, x0)
        r1 = np.linalg.norm(residual)
        r2 = np.sqrt(r1**2 + damp**2 * np.sum(np.abs(step) ** 2)) if damp else r1
        if original is linalg.lsqr:
            size = np.linalg.norm(step)
            return (x, *found[1:3], r1, r2, *found[5:8], size, found[9])
        return (x, *found[1:3], r2, *found[4:7], np.linalg.norm(x))

    return replacement


for _original in (linalg.lsqr, linalg.lsmr):
    REPLACEMENTS[_original] = least_squares(_original)
    LOOKING.add(REPLACEMENTS[_original])
