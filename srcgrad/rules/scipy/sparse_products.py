"""Rules for ``scipy.sparse``: products with a sparse matrix, and solutions.

A sparse matrix is its elements, which may be a Variable, and the pattern in which they
stand. SciPy's operators give way to a Variable's, which come here (``OPERATORS``).
"""

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import _sparsetools, linalg

from srcgrad.errors import NoRuleError, located
from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.rules.complexes import conj
from srcgrad.rules.compressed import Compressed, Pattern, majors, picked, transposed
from srcgrad.rules.libraries import OPERATORS
from srcgrad.rules.registry import defvjp

ARRAYS = {"csr": sparse.csr_array, "csc": sparse.csc_array}

# What SciPy's own operators call, by format: for one vector, and for several.
KERNELS = {
    "csr": (_sparsetools.csr_matvec, _sparsetools.csr_matvecs),
    "csc": (_sparsetools.csc_matvec, _sparsetools.csc_matvecs),
}
# The numbers that these know.
KNOWN = "?bBhHiIlLqQfdgFDG"


def filled(data: Any, pattern: Pattern) -> Any:
    """SciPy's matrix; it may sort what it holds, so that is a copy."""
    parts = data, pattern.indices, pattern.ends
    return ARRAYS[pattern.format](parts, shape=pattern.shape, copy=True)


def is_matrix(item: Any) -> bool:
    """Whether it is SciPy's, or stands for such a matrix."""
    return sparse.issparse(item) or isinstance(item, Compressed)


def parts(matrix: Any) -> Any:
    """The elements of a matrix, and their pattern."""
    if not sparse.issparse(matrix):
        return matrix.data, matrix.pattern
    if matrix.ndim == 1:
        matrix = matrix.reshape(1, -1)
    if matrix.ndim > 2:
        raise located(
            NoRuleError(
                "srcgrad has a derivative of products with sparse arrays of one and "
                f"of two dimensions, not of {matrix.ndim}"
            )
        )
    known = matrix if matrix.format in ARRAYS else matrix.tocsr()
    # The user may change the matrix in place.
    data, indices, ends = map(np.array, (known.data, known.indices, known.indptr))
    return data, Pattern(indices, ends, known.shape, known.format)


@dispatched
def product(data, indices, ends, x, shape, format):
    """A sparse matrix, by SciPy's three arrays, times an array of one or two axes."""
    dtype = np.result_type(data, x)
    is_known = dtype.char in KNOWN and dtype.isnative
    if not is_known or np.ndim(x) not in (1, 2) or len(x) != shape[1]:
        return filled(data, Pattern(indices, ends, shape, format)) @ x
    out = np.zeros((shape[0], *x.shape[1:]), dtype)
    one, several = KERNELS[format]
    if x.ndim == 1:
        one(*shape, ends, indices, data, x, out)
    else:
        several(*shape, x.shape[1], ends, indices, data, x.ravel(), out.ravel())
    return out


def times_array(data: Any, pattern: Pattern, x: Any) -> Any:
    """The same by elements and pattern."""
    return product(data, pattern.indices, pattern.ends, x, *pattern.form)


@dispatched
def solution(data, indices, ends, b, shape, format):
    """What a sparse matrix, by SciPy's three arrays, makes ``b`` of."""
    matrix = filled(data, Pattern(indices, ends, shape, format))
    return np.reshape(linalg.spsolve(matrix, b), b.shape)


def solved(data: Any, pattern: Pattern, b: Any) -> Any:
    """The same by elements and pattern."""
    return solution(data, pattern.indices, pattern.ends, b, *pattern.form)


@dispatched
def found_solution(data, pattern, b, x):
    """``x``, which an iteration has found to be that."""
    return np.reshape(x, b.shape)


def at_places(g, x, pattern):
    """The elements of ``g`` times the adjoint of ``x`` that the matrix has."""
    rows, columns = pattern.places
    each = picked(g, rows) * conj(picked(x, columns))
    return each if each.ndim == 1 else np.sum(each, axis=1)


def solved_back(g, data, pattern):
    return solved(conj(data), pattern.transposed, g)


def solved_slope(g, data, pattern, out):
    return at_places(-solved_back(g, data, pattern), out, pattern)


defvjp(
    product,
    data=lambda g, indices, ends, x, shape, format: at_places(
        g, x, Pattern(indices, ends, shape, format)
    ),
    indices=None,
    ends=None,
    x=lambda g, data, indices, ends, shape, format: product(
        conj(data), indices, ends, g, *transposed(shape, format)
    ),
)
defvjp(
    solution,
    data=lambda g, data, indices, ends, shape, format, out: solved_slope(
        g, data, Pattern(indices, ends, shape, format), out
    ),
    indices=None,
    ends=None,
    b=lambda g, data, indices, ends, shape, format: solved_back(
        g, data, Pattern(indices, ends, shape, format)
    ),
)
defvjp(found_solution, data=solved_slope, b=solved_back)
defvjp(majors, indices=None, ends=None)
for _function in (solution, found_solution):
    declare(_function, raises=True)
for _function in (product, majors):
    declare(_function)


# ----- Operators -----
def times(matrix, x):
    """``matrix @ x``"""
    data, pattern = parts(matrix)
    out = times_array(data, pattern, x)
    return out[0] if matrix.ndim == 1 else out


def times_from_left(x, matrix):
    """``x @ matrix``"""
    data, pattern = parts(matrix)
    if matrix.ndim == 1:  # it is a column here
        return times_array(data, pattern, x.T)[0]
    out = times_array(data, pattern.transposed, x.T)
    return out.T


def matmul(a: Any, b: Any) -> Any:
    return times(a, b) if is_matrix(a) else times_from_left(a, b)


def dense(x):
    return x.toarray() if sparse.issparse(x) else x


def add(a, b):
    return dense(a) + dense(b)


def subtract(a, b):
    return dense(a) - dense(b)


OPERATORS.update({np.matmul: matmul, np.add: add, np.subtract: subtract})
