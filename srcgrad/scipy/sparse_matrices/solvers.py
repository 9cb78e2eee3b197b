"""``scipy.sparse.linalg``: what iterations find, with the exact solution's slope."""

import numpy as np
from scipy.sparse import linalg

from srcgrad.protocols import first_variable
from srcgrad.rules.scipy.sparse_products import found_solution
from srcgrad.scipy.parameters import refuse
from srcgrad.scipy.sparse_matrices.arrays import SparseArray, held, in_place_of, placed
from srcgrad.scipy.sparse_matrices.blocks import entries
from srcgrad.scipy.sparse_matrices.linear_operators import (
    MatrixOperator,
    check_matrix,
    dense_matrix,
    plain,
)


def iterated(name):
    """``cg`` and its kin."""

    def formula(run, A, b):
        check_matrix(name, A)
        found = run()
        return (found_solution(*of_matrix(A), b, found[0]), *found[1:])

    return formula


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
    in_place_of(getattr(linalg, _name), raw=plain)(iterated(_name))


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


def norms(A, b, damp, x0):
    """The solution, the norms of its two residuals, and that of the step to it."""
    x, residual, step = nearest(A, np.reshape(b, -1), damp, x0)
    r1 = np.linalg.norm(residual)
    r2 = np.sqrt(r1**2 + damp**2 * np.sum(np.abs(step) ** 2)) if damp else r1
    return x, r1, r2, np.linalg.norm(step)


@in_place_of(linalg.lsqr, raw=plain)
def lsqr(run, A, b, damp, calc_var, x0):
    check_matrix("lsqr", A)
    if calc_var:
        refuse("sparse.linalg.lsqr", "with `calc_var`")
    found = run()
    x, r1, r2, size = norms(A, b, damp, x0)
    return (x, *found[1:3], r1, r2, *found[5:8], size, found[9])


@in_place_of(linalg.lsmr, raw=plain)
def lsmr(run, A, b, damp, x0):
    check_matrix("lsmr", A)
    found = run()
    x, _, r2, _ = norms(A, b, damp, x0)
    return (x, *found[1:3], r2, *found[4:7], np.linalg.norm(x))
