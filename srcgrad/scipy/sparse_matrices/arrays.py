"""``scipy.sparse``: matrices whose elements are a Variable; ``spsolve`` and its kin.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import sparse
>>> data = srcgrad.Variable(np.array([1.0, 2.0, 3.0]), requires_grad=True)
>>> S = sparse.csr_array((data, ([0, 1, 1], [1, 0, 1])), shape=(2, 2))
>>> (S @ np.array([1.0, 10.0])).sum().backward()
>>> data.grad.data
array([10.,  1., 10.])
"""

import functools
import itertools
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from srcgrad.errors import NoRuleError, describe, here
from srcgrad.facts import declare
from srcgrad.protocols import dispatched, first_variable, raw_of
from srcgrad.rules.compressed import Pattern
from srcgrad.rules.libraries import LOOKING, OPERATORS, REPLACEMENTS
from srcgrad.rules.registry import defvjp
from srcgrad.rules.scipy.sparse import (
    ARRAYS,
    matmul,
    parts,
    solution,
    times_array,
)
from srcgrad.scipy.parameters import refuse
from srcgrad.scipy.sparse_matrices.patterns import meetings, part, unequal
from srcgrad.updates import scatter


class SparseArray:
    """A sparse array of two dimensions whose elements are a Variable.

    What SciPy's has besides these methods is refused.
    """

    holds_variables = True
    __array_ufunc__ = None  # it has the operators, whatever is on the left

    def __init__(self, data: Any, pattern: Pattern) -> None:
        self.data, self.pattern = data, pattern

    shape = property(lambda self: self.pattern.shape)
    format = property(lambda self: self.pattern.format)
    dtype = property(lambda self: self.data.dtype)
    nnz = property(lambda self: np.size(raw_of(self.data)))
    requires_grad = property(lambda self: self.data.requires_grad)
    ndim = 2

    @property
    def T(self) -> "SparseArray":  # noqa: N802 (NumPy's name)
        return SparseArray(self.data, self.pattern.transposed)

    def transpose(self) -> "SparseArray":
        return self.T

    def toarray(self) -> Any:
        return scatter(self.data, self.pattern.places, self.shape)

    todense = toarray

    def diagonal(self) -> Any:
        return np.diagonal(self.toarray())

    def sum(self, axis: Any = None) -> Any:
        return np.sum(self.data) if axis is None else np.sum(self.toarray(), axis)

    def multiply(self, other: Any) -> "SparseArray":
        """Element by element: what is zero stays so."""
        if isinstance(other, SparseArray) or sparse.issparse(other):
            other = other.toarray()
        other = np.broadcast_to(other, self.shape)
        return SparseArray(self.data * other[self.pattern.places], self.pattern)

    def __getitem__(self, key: Any) -> Any:
        """Rows and columns, or one element: ``K[free][:, free]``, ``K[1:, 0]``."""
        whole = self.summed()
        which, pattern = part(whole.pattern, key)
        data = whole.data[which]
        if pattern is not None:
            return SparseArray(data, pattern)
        return data[0] if len(which) else np.sum(data)

    def __setitem__(self, key: Any, value: Any) -> None:
        raise NoRuleError(
            "srcgrad does not write into sparse arrays whose elements are Variables "
            f"({describe(here())}): give all elements at once, "
            "`csr_array((values, (rows, columns)))`, where those of one place add up, "
            "or add another such array"
        )

    def summed(self) -> "SparseArray":
        """The same with one element at each place."""
        numbers, places = unequal(self.pattern)
        if len(numbers) == len(places[0]):
            return self
        data = scatter(self.data, (numbers,), (len(places[0]),))
        return placed(data, places, self.shape)

    def __matmul__(self, x: Any) -> Any:
        if isinstance(x, SparseArray) or (sparse.issparse(x) and x.ndim == 2):
            return matrix_product(self, x)
        return times_array(
            self.data, self.pattern, x.toarray() if sparse.issparse(x) else x
        )

    def __rmatmul__(self, x: Any) -> Any:
        if sparse.issparse(x) and x.ndim == 2:
            return matrix_product(x, self)
        if sparse.issparse(x):
            x = x.toarray()
        return times_array(self.data, self.pattern.transposed, x.T).T

    dot = __matmul__
    __mul__ = __rmul__ = multiply

    def __truediv__(self, other: Any) -> "SparseArray":
        return self.multiply(1.0 / other)

    def __add__(self, other: Any) -> Any:
        """Elements of one place add up."""
        if not isinstance(other, SparseArray) and not sparse.issparse(other):
            return self.toarray() + other
        data, pattern = held(other)
        if pattern.shape != self.shape:
            raise ValueError("inconsistent shapes")
        pairs = zip(self.pattern.places, pattern.places, strict=True)
        places = tuple(np.concatenate(pair) for pair in pairs)
        return placed(np.concatenate([self.data, data]), places, self.shape)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __neg__(self) -> "SparseArray":
        return SparseArray(-self.data, self.pattern)

    def __getattr__(self, name: str) -> Any:
        if name in ("tocsr", "tocsc", "tocoo", "copy"):
            return lambda *args, **kwargs: self
        if hasattr(sparse.csr_array, name) or hasattr(sparse.csr_matrix, name):
            raise NoRuleError(
                f"srcgrad has no `{name}` of sparse arrays whose elements are "
                f"Variables ({describe(here())}): use `.toarray()`"
            )
        raise AttributeError(name)


# ----- How they are made -----
def placed(data: Any, places: Any, shape: Any) -> SparseArray:
    """Elements at places, those of one place one after the other: they add up."""
    rows, columns = (np.asarray(raw_of(place)).astype(int) for place in places)
    if shape is None:
        shape = int(rows.max()) + 1, int(columns.max()) + 1
    sparse.coo_array((np.ones(len(rows)), (rows, columns)), shape=shape)  # its errors
    order = np.lexsort((columns, rows))
    counts = np.bincount(rows, minlength=shape[0])
    ends = np.concatenate([[0], np.cumsum(counts)])
    return SparseArray(data[order], Pattern(columns[order], ends, shape, "csr"))


def made(original: Any, arg1: Any, shape: Any = None, dtype: Any = None) -> Any:
    """What SciPy's class makes of the same arguments."""
    name = f"sparse.{original.__name__}"
    if dtype is not None:
        refuse(name, "with `dtype`: cast its elements")
    if isinstance(arg1, tuple) and original.__name__.startswith("dia"):
        rows, offsets = arg1
        return numbered(lambda rows: original((rows, offsets), shape=shape), rows)
    if isinstance(arg1, tuple) and original.__name__[:3] in ("dok", "lil"):
        refuse(name, "of a tuple: SciPy takes it for a shape")
    if isinstance(arg1, tuple) and len(arg1) == 2:
        return placed(arg1[0], arg1[1], shape)
    if isinstance(arg1, tuple):
        data, indices, ends = arg1
        if original.__name__.startswith("bsr"):
            return in_blocks(lambda data: original((data, indices, ends), shape), data)
        if original.__name__[:3] not in ARRAYS:
            refuse(name, "of these arguments")
        known = original((raw_of(data), indices, ends), shape=shape)
        arrays = np.array(known.indices), np.array(known.indptr)
        return SparseArray(data, Pattern(*arrays, known.shape, known.format))
    if np.ndim(arg1) != 2:
        refuse(name, "of these arguments")
    places = np.nonzero(raw_of(arg1))
    return placed(arg1[places], places, np.shape(arg1))


def in_blocks(original: Any, data: Any) -> SparseArray:
    """Blocks of elements: SciPy places their numbers, as it does with diagonals."""
    numbers = np.arange(np.size(raw_of(data))) + 1.0
    which, pattern = parts(original(numbers.reshape(np.shape(data))).tocsr())
    return SparseArray(np.ravel(data)[which.astype(int) - 1], pattern)


def numbered(original: Any, diagonals: Any, *args: Any, **kwargs: Any) -> SparseArray:
    """Let SciPy place the numbers of the elements, and put the elements there."""
    is_one = not isinstance(diagonals, (list, tuple)) and np.ndim(diagonals) < 2
    rows = [np.ravel(diagonal) for diagonal in ([diagonals] if is_one else diagonals)]
    ends = np.cumsum([0, *map(np.size, rows)])
    numbers = [np.arange(a, b) + 1.0 for a, b in itertools.pairwise(ends)]
    kwargs.pop("dtype", None)
    table = original(numbers[0] if is_one else numbers, *args, **kwargs).tocsr()
    which, pattern = parts(table)
    return SparseArray(np.concatenate(rows)[which.astype(int) - 1], pattern)


def diagonals_of(original: Any) -> Any:
    """``scipy.sparse.diags_array`` or ``diags``."""

    @functools.wraps(original)
    def replaced(diagonals: Any, *args: Any, **kwargs: Any) -> Any:
        if first_variable(diagonals) is None:
            return original(diagonals, *args, **kwargs)
        return numbered(original, diagonals, *args, **kwargs)

    return replaced


class Made(type(sparse.csr_array)):  # type: ignore[misc]
    """A class of SciPy's that makes a ``SparseArray`` where there are Variables."""

    original: Any

    def __call__(cls, arg1: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(arg1, SparseArray):
            return arg1
        if first_variable(arg1) is None:
            return cls.original(arg1, *args, **kwargs)
        return made(cls.original, arg1, *args, **kwargs)

    def __instancecheck__(cls, item: Any) -> bool:
        return isinstance(item, cls.original)


def matrix_product(a: Any, b: Any) -> SparseArray:
    """``a @ b`` of two sparse matrices: one that is sparse, too."""
    (data, pattern), (other, below) = held(a), held(b)
    if pattern.shape[1] != below.shape[0]:
        raise ValueError(
            f"matmul: dimension mismatch with signature {pattern.shape} @ {below.shape}"
        )
    of_a, of_b, places = meetings(pattern, below)
    shape = pattern.shape[0], below.shape[1]
    return placed(data[of_a] * other[of_b], places, shape).summed()


# ----- Solutions -----
def held(A: Any) -> Any:
    """The elements and the pattern of SciPy's matrix, or of ours."""
    if isinstance(A, SparseArray):
        return A.data, A.pattern
    return parts(A if sparse.issparse(A) else sparse.csc_array(A))


def is_plain(*args: Any) -> bool:
    return first_variable(args) is None and not any(
        getattr(arg, "holds_variables", False) for arg in args
    )


def spsolve(A: Any, b: Any, permc_spec: Any = None, use_umfpack: bool = True) -> Any:
    """``scipy.sparse.linalg.spsolve``, of a right side that is not sparse."""
    if is_plain(A, b):
        return linalg.spsolve(A, b, permc_spec, use_umfpack)
    if isinstance(b, SparseArray) or sparse.issparse(b):
        refuse("sparse.linalg.spsolve", "for a sparse right side: use `.toarray()`")
    if np.ndim(b) == 2 and np.shape(b)[1] == 1:  # SciPy's result is a vector
        b = np.reshape(b, -1)
    return solution(*held(A), b)


def spsolve_triangular(
    A: Any,
    b: Any,
    lower: bool = True,
    overwrite_A: bool = False,
    overwrite_b: bool = False,
    unit_diagonal: bool = False,
) -> Any:
    """``scipy.sparse.linalg.spsolve_triangular``"""
    if is_plain(A, b):
        flags = lower, overwrite_A, overwrite_b, unit_diagonal
        return linalg.spsolve_triangular(A, b, *flags)
    data, pattern = held(A)
    rows, columns = pattern.places
    if np.any(rows < columns if lower else rows > columns):
        raise np.linalg.LinAlgError(
            f"A is not {'lower' if lower else 'upper'} triangular."
        )
    if unit_diagonal:
        n, inner = pattern.shape[0], rows != columns
        data = np.concatenate([data[inner], np.ones(n)])
        ones = np.arange(n)
        rows = np.concatenate([rows[inner], ones])
        columns = np.concatenate([columns[inner], ones])
        whole = placed(data, (rows, columns), pattern.shape)
        data, pattern = whole.data, whole.pattern
    return solution(data, pattern, b)


@dispatched
def factor_solution(factors: Any, b: Any, trans: str) -> Any:
    """What SuperLU's factors make ``b`` of."""
    return factors.solve(b, trans)


def factor_back(g: Any, factors: Any, trans: str) -> Any:
    if trans == "T":  # there is no solution with the conjugate alone
        return np.conj(factor_solution(factors, np.conj(g), "N"))
    return factor_solution(factors, g, {"N": "H", "H": "N"}[trans])


defvjp(factor_solution, b=factor_back)
declare(factor_solution, raises=True)


def factorized(A: Any) -> Any:
    """``scipy.sparse.linalg.factorized``: a function that solves for many ``b``."""
    if isinstance(A, SparseArray):
        return lambda b: spsolve(A, b)
    factors = linalg.splu(sparse.csc_array(A))
    return lambda b: factor_solution(factors, b, "N")


@dispatched
def exponential_product(A: Any, B: Any) -> Any:
    return linalg.expm_multiply(A, B)


defvjp(exponential_product, B=lambda g, A: exponential_product(A.conj().T, g))
declare(exponential_product, raises=True)


def multiply(a: Any, b: Any) -> Any:
    """``a * b``: of SciPy's matrices, unlike its arrays, the product."""
    matrix, x = (a, b) if sparse.issparse(a) else (b, a)
    if isinstance(matrix, sparse.spmatrix) and np.ndim(x):
        return matmul(a, b)
    return SparseArray(*parts(matrix)).multiply(x)


def multiplied(self: Any, other: Any) -> Any:
    """The method ``multiply`` of SciPy's matrices."""
    if isinstance(other, SparseArray):
        return other.multiply(self)
    return SparseArray(*parts(self)).multiply(other)


OPERATORS[np.multiply] = multiply
for _format in ("csr", "csc", "coo", "dia", "bsr", "dok", "lil"):
    for _kind in ("array", "matrix"):
        _original = getattr(sparse, f"{_format}_{_kind}")
        REPLACEMENTS[_original.multiply] = multiplied
        REPLACEMENTS[_original.dot] = matmul
        _namespace = {"original": _original, "__doc__": _original.__doc__}
        _made = Made(_original.__name__, (_original,), _namespace)
        REPLACEMENTS[_original] = _made
        LOOKING.add(_made)
for _original, _replacement in (
    (sparse.diags_array, diagonals_of(sparse.diags_array)),
    (sparse.diags, diagonals_of(sparse.diags)),
    (linalg.spsolve, spsolve),
    (linalg.spsolve_triangular, spsolve_triangular),
    (linalg.factorized, factorized),
):
    REPLACEMENTS[_original] = _replacement
    LOOKING.add(_replacement)  # for a SparseArray
