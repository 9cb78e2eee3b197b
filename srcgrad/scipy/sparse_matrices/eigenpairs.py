"""``scipy.sparse.linalg``: some eigenvalues, some singular values, and their vectors.

SciPy says which they are, and how their signs are; their slopes are those of the whole
dense matrix.
"""

from typing import Any

import numpy as np
from scipy import linalg as dense_linalg
from scipy.sparse import linalg

from srcgrad.protocols import raw_of
from srcgrad.rules.libraries import reaching
from srcgrad.scipy.parameters import refuse
from srcgrad.scipy.sparse_matrices.arrays import in_place_of
from srcgrad.scipy.sparse_matrices.linear_operators import (
    check_matrix,
    dense_matrix,
    plain,
    raw_matrix,
)

eigh = reaching(dense_linalg.eigh)


def places_of(found, whole, name):
    """Which of all values SciPy has found."""
    which = np.argmin(np.abs(raw_of(whole)[:, None] - found), axis=0)
    if len(set(which.tolist())) < len(which):
        refuse(f"sparse.linalg.{name}", "of values that are equal")
    return which


def turns(own, found):
    """The signs, or phases, that make vectors those that SciPy has found."""
    turn = np.sum(np.conj(raw_of(own)) * found, axis=0)
    return turn / np.abs(turn)


def symmetric_part(name, A, B, values, vectors=None):
    """Those of the values and vectors of a symmetric matrix, or of a pair."""
    second = None if B is None else dense_matrix(B)
    whole, basis = eigh(dense_matrix(A), second)
    which = places_of(values, whole, name)
    if vectors is None:
        return whole[which]
    own = basis[:, which]
    image = vectors if B is None else raw_matrix(B) @ vectors
    return whole[which], own * turns(own, image)


@in_place_of(linalg.eigsh, raw=plain)
def eigsh(run, A, M, return_eigenvectors):
    check_matrix("eigsh", A, M)
    found = run() if return_eigenvectors else (run(),)
    return symmetric_part("eigsh", A, M, *found)


@in_place_of(linalg.lobpcg, raw=plain)
def lobpcg(run, A, B, M, Y, retLambdaHistory, retResidualNormsHistory):
    check_matrix("lobpcg", A, B)
    if callable(A) or callable(B) or Y is not None:
        refuse("sparse.linalg.lobpcg", "of functions, or with `Y`")
    if retLambdaHistory or retResidualNormsHistory:
        refuse("sparse.linalg.lobpcg", "with its history")
    return symmetric_part("lobpcg", A, B, *run())


@in_place_of(linalg.eigs, raw=plain)
def eigs(run, A, M, return_eigenvectors):
    check_matrix("eigs", A)
    if M is not None:
        refuse("sparse.linalg.eigs", "of a pair: use np.linalg.solve(M, A)")
    values, *vectors = run() if return_eigenvectors else (run(),)
    dense = dense_matrix(A)
    whole, basis = np.linalg.eig(dense + 0.0j if dense.dtype.kind == "f" else dense)
    which = places_of(values, whole, "eigs")
    if not vectors:
        return whole[which]
    own = basis[:, which]
    return whole[which], own * turns(own, vectors[0])


@in_place_of(linalg.svds, raw=plain)
def svds(run, A, return_singular_vectors):
    check_matrix("svds", A)
    wanted = return_singular_vectors
    found: Any = run()
    known: Any = found if wanted else (None, found, None)
    u, s, vh = known
    left, whole, right = np.linalg.svd(dense_matrix(A), full_matrices=False)
    which = places_of(s, whole, "svds")
    if not wanted:
        return whole[which]
    left, right = left[:, which], right[which]
    turn = turns(right.conj().T, vh.conj().T) if u is None else turns(left, u)
    return (
        None if wanted == "vh" else left * turn,
        whole[which],
        None if wanted == "u" else right * np.conj(turn)[:, None],
    )
