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
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.libraries import LOOKING, REPLACEMENTS
from srcgrad.rules.scipy.sparse import found_solution
from srcgrad.scipy.parameters import refuse
from srcgrad.scipy.sparse_arrays import SparseArray, held, is_plain, placed
from srcgrad.scipy.sparse_blocks import entries
from srcgrad.updates import scatter


def iterated(original: Any) -> Any:
    """``cg`` and its kin."""

    @functools.wraps(original)
    def replacement(A: Any, b: Any, *args: Any, **kwargs: Any) -> Any:
        if is_plain(A, b):
            return original(A, b, *args, **kwargs)
        if isinstance(A, linalg.LinearOperator):
            refuse(f"sparse.linalg.{original.__name__}", "of an operator")
        matrix, (data, pattern) = plain(A), of_matrix(A)
        options = {key: raw_of(item) for key, item in kwargs.items()}
        found = original(matrix, raw_of(b), *map(raw_of, args), **options)
        return (found_solution(data, pattern, b, found[0]), *found[1:])

    return replacement


def of_matrix(A: Any) -> Any:
    """The elements of a matrix, and their pattern."""
    if isinstance(A, SparseArray) or first_variable(A) is None:
        return held(A)
    data, rows, columns, shape = entries(A)
    made = placed(data, (rows, columns), shape)
    return made.data, made.pattern


def plain(A: Any) -> Any:
    """The matrix without Variables."""
    if isinstance(A, SparseArray):
        return A.pattern.filled(raw_of(A.data))
    return A if sparse.issparse(A) else sparse.csr_array(raw_of(A))


for _name in "bicg bicgstab cg cgs gcrotmk gmres lgmres minres qmr tfqmr".split():
    _original = getattr(linalg, _name)
    REPLACEMENTS[_original] = iterated(_original)
    LOOKING.add(REPLACEMENTS[_original])


@functools.wraps(linalg.eigsh)
def eigsh(A: Any, k: int = 6, M: Any = None, *args: Any, **kwargs: Any) -> Any:
    if is_plain(A, M):
        return linalg.eigsh(A, k, M, *args, **kwargs)
    if M is not None:
        refuse("sparse.linalg.eigsh", "of a pair: use scipy.linalg.eigh")
    only_values = not kwargs.get("return_eigenvectors", True)
    kwargs["return_eigenvectors"] = True
    values, vectors = linalg.eigsh(plain(A), k, None, *args, **kwargs)
    data, rows, columns, shape = entries(A)
    dense = scatter(data, (rows, columns), shape)
    whole, basis = np.linalg.eigh(dense)
    which = np.argmin(np.abs(raw_of(whole)[:, None] - values), axis=0)
    if len(set(which.tolist())) < len(which):
        refuse("sparse.linalg.eigsh", "of eigenvalues that are equal")
    if only_values:
        return whole[which]
    own = basis[:, which]
    turn = np.sum(np.conj(raw_of(own)) * vectors, axis=0)
    return whole[which], own * (turn / np.abs(turn))


REPLACEMENTS[linalg.eigsh] = eigsh
LOOKING.add(eigsh)
