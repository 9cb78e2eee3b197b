"""Rules for ``scipy.sparse``: products with a sparse matrix, and solutions.

A sparse matrix is its elements, which may be a Variable, and the pattern in which they
stand. SciPy's operators give way to a Variable's, which come here (``OPERATORS``).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from srcgrad.errors import NoRuleError, describe, here
from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.rules.complexes import conj
from srcgrad.rules.libraries import OPERATORS
from srcgrad.rules.registry import defvjp

ARRAYS = {"csr": sparse.csr_array, "csc": sparse.csc_array}
TRANSPOSED = {"csr": "csc", "csc": "csr"}


@dataclass(frozen=True, eq=False)
class Pattern:
    """Where the elements of a sparse matrix stand: row by row, or column by column."""

    indices: Any
    ends: Any
    shape: tuple[int, int]
    format: str

    def filled(self, data: Any) -> Any:
        """SciPy's matrix; it may sort what it holds, so that is a copy."""
        parts = data, self.indices, self.ends
        return ARRAYS[self.format](parts, shape=self.shape, copy=True)

    @property
    def transposed(self) -> "Pattern":
        shape = self.shape[::-1]
        return Pattern(self.indices, self.ends, shape, TRANSPOSED[self.format])

    @property
    def places(self) -> Any:
        """The row and the column of each element."""
        counts = np.diff(self.ends)
        major = np.repeat(np.arange(len(counts)), counts)
        return (major, self.indices)[:: 1 if self.format == "csr" else -1]


def parts(matrix: Any) -> Any:
    """The elements of SciPy's matrix, and their pattern."""
    if matrix.ndim == 1:
        matrix = matrix.reshape(1, -1)
    if matrix.ndim > 2:
        raise NoRuleError(
            "srcgrad has a derivative of products with sparse arrays of one and of two "
            f"dimensions, not of {matrix.ndim} ({describe(here())})"
        )
    known = matrix if matrix.format in ARRAYS else matrix.tocsr()
    # The user may change the matrix in place.
    data, indices, ends = map(np.array, (known.data, known.indices, known.indptr))
    return data, Pattern(indices, ends, known.shape, known.format)


@dispatched
def product(data, pattern, x):
    """A sparse matrix times an array of one or of two dimensions."""
    return pattern.filled(data) @ x


@dispatched
def solution(data, pattern, b):
    """What a sparse matrix makes ``b`` of."""
    return np.reshape(linalg.spsolve(pattern.filled(data), b), b.shape)


@dispatched
def found_solution(data, pattern, b, x):
    """``x``, which an iteration has found to be that."""
    return np.reshape(x, b.shape)


def at_places(g, x, pattern):
    """The elements of ``g`` times the adjoint of ``x`` that the matrix has."""
    rows, columns = pattern.places
    each = g[rows] * conj(x[columns])
    return each if each.ndim == 1 else np.sum(each, axis=1)


def solved_back(g, data, pattern):
    return solution(conj(data), pattern.transposed, g)


defvjp(
    product,
    data=lambda g, pattern, x: at_places(g, x, pattern),
    x=lambda g, data, pattern: product(conj(data), pattern.transposed, g),
)
for _function in (solution, found_solution):
    defvjp(
        _function,
        data=lambda g, data, pattern, out: at_places(
            -solved_back(g, data, pattern), out, pattern
        ),
        b=solved_back,
    )
for _function in (product, solution, found_solution):
    declare(_function, raises=True)


# ----- Operators -----
def times(matrix, x):
    """``matrix @ x``"""
    out = product(*parts(matrix), x)
    return out[0] if matrix.ndim == 1 else out


def times_from_left(x, matrix):
    """``x @ matrix``"""
    data, pattern = parts(matrix)
    if matrix.ndim == 1:  # it is a column here
        return product(data, pattern, x.T)[0]
    out = product(data, pattern.transposed, x.T)
    return out.T


def matmul(a: Any, b: Any) -> Any:
    return times(a, b) if sparse.issparse(a) else times_from_left(a, b)


def dense(x):
    return x.toarray() if sparse.issparse(x) else x


def add(a, b):
    return dense(a) + dense(b)


def subtract(a, b):
    return dense(a) - dense(b)


OPERATORS.update({np.matmul: matmul, np.add: add, np.subtract: subtract})
