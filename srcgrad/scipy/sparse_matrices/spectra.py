"""``scipy.sparse.linalg``: some eigenvalues, some singular values, and their vectors.

SciPy says which they are, and how their signs are; their slopes are those of the whole
dense matrix.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import sparse
>>> data = srcgrad.Variable(np.array([1.0, 5.0, 3.0]), requires_grad=True)
>>> S = sparse.diags_array(data)
>>> sparse.linalg.svds(S, 1, return_singular_vectors=False).sum().backward()
>>> data.grad.data.round(12)
array([0., 1., 0.])
"""

import functools

import numpy as np
from scipy import linalg as dense_linalg
from scipy.sparse import linalg

from srcgrad.protocols import raw_of
from srcgrad.rules.libraries import LOOKING, REPLACEMENTS, reaching
from srcgrad.scipy.parameters import refuse
from srcgrad.scipy.sparse_matrices.arrays import is_plain
from srcgrad.scipy.sparse_matrices.operators import (
    check_matrix,
    dense_matrix,
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


def symmetric_part(name, A, B, values, vectors):
    """Those of the values and vectors of a symmetric matrix, or of a pair."""
    second = None if B is None else dense_matrix(B)
    whole, basis = eigh(dense_matrix(A), second)
    which = places_of(values, whole, name)
    own = basis[:, which]
    image = vectors if B is None else raw_matrix(B) @ vectors
    return whole[which], own * turns(own, image)


@functools.wraps(linalg.eigsh)
def eigsh(A, k=6, M=None, *args, **kwargs):
    if is_plain(A, M):
        return linalg.eigsh(A, k, M, *args, **kwargs)
    check_matrix("eigsh", A, M)
    only_values = not kwargs.get("return_eigenvectors", True)
    kwargs["return_eigenvectors"] = True
    second = None if M is None else raw_matrix(M)
    found = linalg.eigsh(raw_matrix(A), k, second, *args, **kwargs)
    values, vectors = symmetric_part("eigsh", A, M, *found)
    return values if only_values else (values, vectors)


@functools.wraps(linalg.lobpcg)
def lobpcg(A, X, B=None, *args, **kwargs):
    if is_plain(A, X, B):
        return linalg.lobpcg(A, X, B, *args, **kwargs)
    check_matrix("lobpcg", A, B)
    histories = ("retLambdaHistory", "retResidualNormsHistory")
    if callable(A) or callable(B) or kwargs.get("Y") is not None:
        refuse("sparse.linalg.lobpcg", "of functions, or with `Y`")
    if len(args) > 1 or any(kwargs.get(name) for name in histories):
        refuse("sparse.linalg.lobpcg", "with its history")
    second = None if B is None else raw_matrix(B)
    found = linalg.lobpcg(raw_matrix(A), raw_of(X), second, *args, **kwargs)
    return symmetric_part("lobpcg", A, B, *found)


@functools.wraps(linalg.eigs)
def eigs(A, k=6, M=None, *args, **kwargs):
    if is_plain(A, M):
        return linalg.eigs(A, k, M, *args, **kwargs)
    check_matrix("eigs", A)
    if M is not None:
        refuse("sparse.linalg.eigs", "of a pair: use np.linalg.solve(M, A)")
    only_values = not kwargs.get("return_eigenvectors", True)
    kwargs["return_eigenvectors"] = True
    values, vectors = linalg.eigs(raw_matrix(A), k, None, *args, **kwargs)
    dense = dense_matrix(A)
    whole, basis = np.linalg.eig(dense + 0.0j if dense.dtype.kind == "f" else dense)
    which = places_of(values, whole, "eigs")
    own = basis[:, which]
    return whole[which] if only_values else (whole[which], own * turns(own, vectors))


@functools.wraps(linalg.svds)
def svds(A, k=6, *args, **kwargs):
    if is_plain(A):
        return linalg.svds(A, k, *args, **kwargs)
    check_matrix("svds", A)
    if len(args) > 5:
        refuse("sparse.linalg.svds", "with so many arguments: give them by their names")
    wanted = kwargs.pop("return_singular_vectors", True)
    u, s, _ = linalg.svds(raw_matrix(A), k, *args, **kwargs)
    left, whole, right = np.linalg.svd(dense_matrix(A), full_matrices=False)
    which = places_of(s, whole, "svds")
    left, right = left[:, which], right[which]
    turn = turns(left, u)
    if not wanted:
        return whole[which]
    return (
        None if wanted == "vh" else left * turn,
        whole[which],
        None if wanted == "u" else right * np.conj(turn)[:, None],
    )


for _replacement in (eigsh, lobpcg, eigs, svds):
    REPLACEMENTS[getattr(linalg, _replacement.__name__)] = _replacement
    LOOKING.add(_replacement)
