"""``scipy.sparse.linalg``: inverses, powers, exponentials and norms of matrices."""

import functools

import numpy as np
from scipy import linalg as dense_linalg
from scipy.sparse import linalg

from srcgrad.rules.libraries import LOOKING, REPLACEMENTS, reaching, replacement_of
from srcgrad.scipy.parameters import refusing
from srcgrad.scipy.replacing import raws
from srcgrad.scipy.sparse_matrices.arrays import (
    SparseArray,
    exponential_product,
    in_place_of,
    is_plain,
    placed,
)
from srcgrad.scipy.sparse_matrices.linear_operators import (
    check_matrix,
    dense_matrix,
    raw_matrix,
)

exponential = reaching(dense_linalg.expm)


# ----- Functions that are polynomials in the matrix -----
def reached(A):
    """Where a polynomial in a matrix has elements: as far as its own lead."""
    linked = np.eye(A.shape[0], dtype=bool)
    linked[A.pattern.places] = True
    count = 0
    while np.sum(linked) > count:
        count = np.sum(linked)
        linked = linked.astype(float) @ linked > 0
    return np.nonzero(linked)


def by_dense(original, function):
    """Register a function of a matrix that gives a matrix, sparse if that is."""

    @functools.wraps(original)
    def replacement(A, *args):
        if is_plain(A):
            return original(A, *args)
        if not isinstance(A, SparseArray):
            if original is linalg.inv:
                raise TypeError("Input must be a sparse arrays")
            return function(A, *args)
        out, places = function(A.toarray(), *args), reached(A)
        return placed(out[places], places, A.shape, A.is_matrix)

    REPLACEMENTS[original] = replacement
    LOOKING.add(replacement)


def matrix_power(A, power):
    """A power that has a pattern: of a sparse matrix SciPy takes no others."""
    if power < 0:
        raise ValueError("exponent must be >= 0")
    return np.linalg.matrix_power(A, power)


by_dense(linalg.inv, np.linalg.inv)
by_dense(linalg.expm, exponential)
by_dense(linalg.matrix_power, matrix_power)


@in_place_of(linalg.norm)
def norm(x, ord, axis):
    if not isinstance(x, SparseArray):
        raise TypeError("input is not sparse. use numpy.linalg.norm")
    linalg.norm(raw_matrix(x), ord, axis)  # SciPy's own errors
    ord = "fro" if ord == "f" or (ord is None and axis is None) else ord
    return np.linalg.norm(x.toarray(), ord, axis)


@in_place_of(linalg.onenormest)
def onenormest(A, t, itmax, compute_v, compute_w):
    """The vector that it finds is one of finitely many."""
    check_matrix("onenormest", A)
    _, v, _ = linalg.onenormest(raw_matrix(A), t, itmax, True, True)
    w = dense_matrix(A) @ v
    found = np.sum(np.abs(w)), *[v] * bool(compute_v), *[w] * bool(compute_w)
    return found if len(found) > 1 else found[0]


# ----- Functions of a matrix, times a vector -----
@in_place_of(linalg.expm_multiply)
def expm_multiply(A, B, start, stop, num, endpoint):
    check_matrix("expm_multiply", A)
    given = {"start": start, "stop": stop, "num": num, "endpoint": endpoint}
    given = {name: value for name, value in given.items() if value is not None}
    if not given:
        return at_time(A, B, 1.0)
    return np.stack([at_time(A, B, time) for time in np.linspace(**given)])


def at_time(A, B, time):
    if is_plain(A, time):
        return exponential_product(A * time, B)
    return exponential(dense_matrix(A) * time) @ B


@in_place_of(linalg.funm_multiply_krylov, raw=lambda item: refusing(raws(item)))
def funm_multiply_krylov(f, A, b, t):
    check_matrix("funm_multiply_krylov", A)
    if len(b.shape) != 1:
        raise ValueError(
            "scipy.sparse.linalg.funm_multiply_krylov: argument 'b' must be a 1D array."
        )
    return replacement_of(f)(t * dense_matrix(A)) @ b
