"""``scipy.sparse``: matrices whose elements are a Variable; ``spsolve`` and its kin."""

import functools
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from srcgrad.errors import NoRuleError, located
from srcgrad.facts import declare
from srcgrad.protocols import dispatched, first_variable, raw_of
from srcgrad.rules.compressed import Compressed, Pattern, picked
from srcgrad.rules.libraries import OPERATORS, RECORDED, REPLACEMENTS
from srcgrad.rules.registry import defvjp
from srcgrad.rules.scipy.sparse_products import matmul, parts, solved, times_array
from srcgrad.scipy.parameters import refuse
from srcgrad.scipy.replacing import replaces
from srcgrad.scipy.sparse_matrices.sparsity_patterns import (
    check_not_recorded,
    meetings,
    part,
    reading_order,
    row_ends,
    unequal,
    whole,
)
from srcgrad.updates import scatter


class SparseArray(Compressed):
    """A sparse array of two dimensions whose elements are a Variable.

    What SciPy's has besides these methods is refused. ``is_matrix``: it is one of
    SciPy's older matrices, of which ``*`` is the product; None: sums of these and of
    arrays, where that depends on how SciPy stores them.
    """

    __array_ufunc__ = None  # it has the operators, whatever is on the left

    def __init__(self, data, pattern, is_matrix=False):
        self.data, self.pattern, self.is_matrix = data, pattern, is_matrix

    def _like(self, data, pattern):
        return SparseArray(data, pattern, self.is_matrix)

    shape = property(lambda self: self.pattern.shape)
    format = property(lambda self: self.pattern.format)
    dtype = property(lambda self: self.data.dtype)
    nnz = property(lambda self: np.size(raw_of(self.data)))
    requires_grad = property(lambda self: self.data.requires_grad)
    ndim = 2

    @property
    def T(self):  # noqa: N802 (NumPy's name)
        return self._like(self.data, self.pattern.transposed)

    def transpose(self):
        return self.T

    def tocsr(self, *args, **kwargs):
        """Formats do not matter."""
        return self

    tocsc = tocoo = copy = tocsr

    def toarray(self):
        check_not_recorded("toarray")
        return scatter(self.data, self.pattern.places, self.shape)

    todense = toarray

    def diagonal(self):
        return np.diagonal(self.toarray())

    def sum(self, axis=None):
        return np.sum(self.data) if axis is None else np.sum(self.toarray(), axis)

    def multiply(self, other):
        """Element by element: what is zero stays so."""
        if isinstance(other, SparseArray) or sparse.issparse(other):
            other = other.toarray()
        if np.ndim(other) == 0:
            return self._like(self.data * other, self.pattern)
        other = np.broadcast_to(other, self.shape)
        return self._like(self.data * other[self.pattern.places], self.pattern)

    def power(self, n, dtype=None):
        """Element by element, of those that are there."""
        if np.ndim(n) or not n:
            raise NotImplementedError(
                "the power of a sparse array is no 0, and a scalar"
            )
        whole = self.summed()
        data = whole.data if dtype is None else whole.data.astype(dtype)
        return self._like(data**n, whole.pattern)

    def __pow__(self, n):
        if not self._check_kind("**"):
            return self.power(n)
        if type(n) is not int or n < 1:
            return self.__getattr__("__pow__")
        found = self
        for _ in range(n - 1):
            found = found @ self
        return found

    def __abs__(self):
        whole = self.summed()
        return self._like(abs(whole.data), whole.pattern)

    def __getitem__(self, key):
        """Rows and columns, or one element: ``K[free][:, free]``, ``K[1:, 0]``."""
        whole = self.summed()
        which, pattern = part(whole.pattern, key)
        data = whole.data[which]
        if pattern is not None:
            return self._like(data, pattern)
        return data[0] if len(which) else np.sum(data)

    def __setitem__(self, key, value):
        raise located(
            NoRuleError(
                "srcgrad does not write into sparse arrays whose elements are Variables"
            ),
            "give all elements at once, `csr_array((values, (rows, columns)))`, "
            "where those of one place add up, or add another such array",
        )

    def summed(self):
        """The same with one element at each place."""
        numbers, places = unequal(self.pattern)
        if len(numbers) == len(places[0]):
            return self
        data = scatter(self.data, (numbers,), (len(places[0]),))
        return placed(data, places, self.shape, self.is_matrix)

    def __matmul__(self, x):
        if isinstance(x, Compressed) or (sparse.issparse(x) and x.ndim == 2):
            return matrix_product(self, x)
        return times_array(
            self.data, self.pattern, x.toarray() if sparse.issparse(x) else x
        )

    def __rmatmul__(self, x):
        if sparse.issparse(x) and x.ndim == 2:
            return matrix_product(x, self)
        if sparse.issparse(x):
            x = x.toarray()
        return times_array(self.data, self.pattern.transposed, x.T).T

    dot = __matmul__

    def __mul__(self, x):
        is_product = np.ndim(x) > 0 and self._check_kind()
        return self @ x if is_product else self.multiply(x)

    def __rmul__(self, x):
        is_left = sparse.issparse(x)
        is_product = np.ndim(x) > 0 and (
            is_matrix(x) if is_left else self._check_kind()
        )
        return self.__rmatmul__(x) if is_product else self.multiply(x)

    def _check_kind(self, symbol="*"):
        if self.is_matrix is None:
            raise located(
                NoRuleError(
                    f"`{symbol}` with a sum of a sparse matrix and a sparse array"
                ),
                "write `@`, `.multiply` or `.power`",
            )
        return self.is_matrix

    def __truediv__(self, other):
        return self.multiply(1.0 / other)

    def __add__(self, other):
        """Elements of one place add up."""
        if not isinstance(other, Compressed) and not sparse.issparse(other):
            return self.toarray() + other
        data, pattern = held(other)
        if pattern.shape != self.shape:
            raise ValueError("inconsistent shapes")
        pairs = zip(self.pattern.places, pattern.places, strict=True)
        places = tuple(np.concatenate(pair) for pair in pairs)
        data = np.concatenate([self.data, data])
        kind = self.is_matrix if self.is_matrix is is_matrix(other) else None
        return placed(data, places, self.shape, kind)

    __radd__ = __add__

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other

    def __neg__(self):
        return self._like(-self.data, self.pattern)

    def __getattr__(self, name):
        if hasattr(sparse.csr_array, name) or hasattr(sparse.csr_matrix, name):
            raise located(
                NoRuleError(
                    f"srcgrad has no `{name}` of sparse arrays whose elements are "
                    "Variables"
                ),
                "use `.toarray()`",
            )
        raise AttributeError(name)


# ----- How they are made -----
def is_matrix(item):
    """Whether it is one of SciPy's older matrices, or stands for such."""
    if isinstance(item, Compressed):
        return item.is_matrix
    return isinstance(item, sparse.spmatrix)


def placed(data, places, shape, is_matrix=False):
    """Elements at places, those of one place one after the other: they add up."""
    rows, columns = map(whole, places)
    if np.shape(data) != np.shape(rows):
        raise ValueError("row, column, and data array must all be the same length")
    if shape is None:
        shape = int(np.max(rows)) + 1, int(np.max(columns)) + 1
    shape = tuple(shape)
    order = reading_order(rows, columns, shape)
    pattern = Pattern(picked(columns, order), row_ends(rows, shape[0]), shape, "csr")
    return SparseArray(picked(data, order), pattern, is_matrix)


def matrix_product(a, b):
    """``a @ b`` of two sparse matrices: one that is sparse, too."""
    (data, pattern), (other, below) = held(a), held(b)
    if pattern.shape[1] != below.shape[0]:
        raise ValueError(
            f"matmul: dimension mismatch with signature {pattern.shape} @ {below.shape}"
        )
    of_a, of_b, places = meetings(pattern, below)
    shape = pattern.shape[0], below.shape[1]
    return placed(data[of_a] * other[of_b], places, shape, is_matrix(a)).summed()


# ----- Solutions -----
def held(A):
    """The elements and the pattern of SciPy's matrix, or of ours."""
    if isinstance(A, Compressed):
        matrix: Any = A
        return matrix.data, matrix.pattern
    return parts(A if sparse.issparse(A) else sparse.csc_array(A))


def is_plain(*args):
    """Whether there are no Variables, alone or in sparse arrays."""
    return first_variable(args) is None and not any(
        getattr(arg, "holds_variables", False) for arg in args
    )


# In place of a function of SciPy's that a SparseArray may meet.
in_place_of = functools.partial(replaces, is_looking=True, is_plain=is_plain)


@in_place_of(linalg.spsolve)
def spsolve(A, b):
    """Of a right side that is not sparse."""
    if isinstance(b, SparseArray) or sparse.issparse(b):
        refuse("sparse.linalg.spsolve", "for a sparse right side: use `.toarray()`")
    if np.ndim(b) == 2 and np.shape(b)[1] == 1:  # SciPy's result is a vector
        b = np.reshape(b, -1)
    return solved(*held(A), b)


@in_place_of(linalg.spsolve_triangular)
def spsolve_triangular(A, b, lower, unit_diagonal):
    data, pattern = held(A)
    rows, columns = pattern.places
    if np.any(rows < columns if lower else rows > columns):
        raise np.linalg.LinAlgError(
            f"A is not {'lower' if lower else 'upper'} triangular."
        )
    if unit_diagonal:
        n, inner = pattern.shape[0], rows != columns
        ones = np.arange(n)
        places = [np.concatenate([each[inner], ones]) for each in (rows, columns)]
        whole = placed(np.concatenate([data[inner], np.ones(n)]), places, pattern.shape)
        data, pattern = whole.data, whole.pattern
    return solved(data, pattern, b)


@dispatched
def factor_solution(factors, b, trans):
    """What SuperLU's factors make ``b`` of."""
    return factors.solve(b, trans)


def factor_back(g, factors, trans):
    if trans == "T":  # there is no solution with the conjugate alone
        return np.conj(factor_solution(factors, np.conj(g), "N"))
    return factor_solution(factors, g, {"N": "H", "H": "N"}[trans])


defvjp(factor_solution, b=factor_back)
declare(factor_solution, raises=True)


@in_place_of(linalg.factorized, is_plain=lambda A: False)
def factorized(A):
    """A function that solves for many ``b``."""
    if isinstance(A, SparseArray):
        return lambda b: spsolve(A, b)
    factors = linalg.splu(sparse.csc_array(A))
    return lambda b: factor_solution(factors, b, "N")


@dispatched
def exponential_product(A, B):
    return linalg.expm_multiply(A, B)


defvjp(exponential_product, B=lambda g, A: exponential_product(A.conj().T, g))
declare(exponential_product, raises=True)


def multiply(a, b):
    """``a * b``: of SciPy's matrices, unlike its arrays, the product."""
    is_left = sparse.issparse(a) or isinstance(a, Compressed)
    matrix, x = (a, b) if is_left else (b, a)
    if isinstance(matrix, sparse.spmatrix) and np.ndim(x):
        return matmul(a, b)
    data, pattern = parts(matrix)
    return SparseArray(data, pattern, is_matrix(matrix)).multiply(x)


def multiplied(self, other):
    """The method ``multiply`` of SciPy's matrices."""
    if isinstance(other, SparseArray):
        return other.multiply(self)
    data, pattern = parts(self)
    return SparseArray(data, pattern, is_matrix(self)).multiply(other)


OPERATORS[np.multiply] = multiply
for _format in ("csr", "csc", "coo", "dia", "bsr", "dok", "lil"):
    for _kind in ("array", "matrix"):
        _original = getattr(sparse, f"{_format}_{_kind}")
        REPLACEMENTS[_original.multiply] = multiplied
        REPLACEMENTS[_original.dot] = matmul
RECORDED.add(linalg.spsolve)
