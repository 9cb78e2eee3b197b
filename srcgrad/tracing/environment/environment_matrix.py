"""``EnvironmentMatrix``: what a traced function sees of an outer sparse matrix.

It stands for three arrays, which are inputs of the graph and read at each call: the
elements, and where they are. So whatever the user writes into the matrix, or puts in
its place, is seen; of other kinds and shapes there is another trace. Other formats than
the compressed ones are brought into such a form where they are read.
"""

import functools
import sys
from typing import Any, NoReturn

import numpy as np

from srcgrad.operators import BINARY_OPERATORS, COMPARISONS
from srcgrad.protocols import ArrayProtocol
from srcgrad.rules.compressed import Compressed, Pattern
from srcgrad.rules.libraries import operator_of
from srcgrad.tracing.environment import conditions
from srcgrad.tracing.environment.references import Attribute, Formula, Reference
from srcgrad.tracing.refusal import give_up

COMPRESSED = ("csr", "csc")


def is_sparse(item: Any) -> bool:
    """Whether it is a matrix of SciPy's own classes, of two dimensions."""
    if not type(item).__module__.startswith("scipy.sparse."):
        return False
    return bool(sys.modules["scipy.sparse"].issparse(item)) and item.ndim == 2


class EnvironmentMatrix(Compressed):
    """A sparse matrix of the environment, or its transpose.

    ``item`` is SciPy's, ``reference`` where it was found, by ``captured_reads``.
    """

    __array_ufunc__ = None  # it has the operators, whatever is on the left

    def __init__(self, item: Any, reference: Reference, reads: Any) -> None:
        reads.require(conditions.has_shape(reference, item.shape))
        self.item, self.reference, self._reads = item, reference, reads

    @functools.cached_property
    def _parts(self) -> tuple[Any, Any, Any, str]:
        item, reference = self.item, self.reference
        if item.format not in COMPRESSED:
            item, reference = item.tocsr(), Formula("{}.tocsr()", reference)
            self._reads.seen.alive.append(item)
        found = [
            self._reads.enter(_part(reference, name), getattr(item, name))
            for name in ("data", "indices", "indptr")
        ]
        if not self._reads.recorder.walks_once:
            found = [*map(np.copy, found)]  # it may be written into before the way back
        return (*found, item.format)

    @property
    def data(self) -> Any:
        """Its elements."""
        return self._reads.checked(self._parts[0])

    @property
    def pattern(self) -> Pattern:
        """Where they stand."""
        _, indices, ends, format = self._parts
        return Pattern(indices, ends, self.item.shape, format)

    @property
    def is_matrix(self) -> bool:  # type: ignore[override]
        """Whether ``*`` is SciPy's old way to write a product."""
        return isinstance(self.item, sys.modules["scipy.sparse"].spmatrix)

    shape = property(lambda self: self.pattern.shape)
    dtype = property(lambda self: self.data.dtype)
    ndim = 2

    # ----- What it is multiplied with -----

    def __matmul__(self, x: Any) -> Any:
        return self._product(x, self, x, self.shape[1], 0)

    def __rmatmul__(self, x: Any) -> Any:
        return self._product(x, x, self, self.shape[0], -1)

    dot = __matmul__

    def __mul__(self, x: Any) -> Any:
        return self.__matmul__(x) if self._is_product(x) else self._scaled(x)

    def __rmul__(self, x: Any) -> Any:
        return self.__rmatmul__(x) if self._is_product(x) else self._scaled(x)

    def __neg__(self) -> Any:
        return self._scaled(-1)

    def _scaled(self, x: Any) -> Any:
        """The matrix times a number: one that the function has made."""
        is_number = type(x) in (int, float, complex) or (
            isinstance(x, ArrayProtocol) and not x.shape
        )
        if not is_number or self.item.dtype.kind not in "ifc":
            self._refuse("*")
        return operator_of(np.multiply, self.item)(self, x)  # type: ignore[misc]

    def __add__(self, other: Any) -> Any:
        return self._made(other, "+") + self

    def __sub__(self, other: Any) -> Any:
        return -self._made(other, "-") + self

    def _made(self, other: Any, name: str) -> Any:
        """Another matrix, if the function has made it."""
        if isinstance(other, EnvironmentMatrix) or not isinstance(other, Compressed):
            self._refuse(name)
        return other

    def _is_product(self, x: Any) -> bool:
        return bool(self.is_matrix) and np.ndim(x) > 0

    def _product(self, x: Any, a: Any, b: Any, length: int, axis: int) -> Any:
        is_known = isinstance(x, (ArrayProtocol, np.ndarray)) and x.ndim in (1, 2)
        if not is_known or x.shape[axis] != length or x.dtype.char not in "?bhilqfdFD":
            self._refuse("@")
        return operator_of(np.matmul, self.item)(a, b)  # type: ignore[misc]

    # ----- Other forms of it -----

    @property
    def T(self) -> "EnvironmentMatrix":  # noqa: N802 (NumPy's name)
        return Transposed(self)

    def transpose(self) -> "EnvironmentMatrix":
        return self.T

    def tocsr(self) -> "EnvironmentMatrix":
        return Converted(self, self.item.tocsr())

    def tocsc(self) -> "EnvironmentMatrix":
        return Converted(self, self.item.tocsc())

    # ----- All else -----

    def _refuse(self, name: str) -> NoReturn:
        give_up(f"does `{name}` with `{self.reference.text}`, a sparse matrix")


def matrix_member(matrix: Compressed, name: str) -> Any:
    """``matrix.name``"""
    if name not in matrix.followed:
        give_up(f"reads `{called(matrix)}.{name}`, of a sparse matrix")
    return getattr(matrix, name)


def called(matrix: Compressed) -> str:
    """What to call a matrix."""
    return matrix.reference.text if isinstance(matrix, EnvironmentMatrix) else "matrix"


class Converted(EnvironmentMatrix):
    """The same matrix in another format, of the same elements."""

    def __init__(self, matrix: EnvironmentMatrix, item: Any) -> None:
        self.item, self.reference, self._reads = item, matrix.reference, matrix._reads
        self._of = matrix

    @property
    def data(self) -> Any:
        return self._of.data

    @property
    def pattern(self) -> Pattern:
        return self._of.pattern


class Transposed(Converted):
    """The transpose."""

    def __init__(self, matrix: EnvironmentMatrix) -> None:
        super().__init__(matrix, matrix.item.T)

    @property
    def pattern(self) -> Pattern:
        return self._of.pattern.transposed


def _part(reference: Reference, name: str) -> Reference:
    part = Attribute(reference, name)
    part.hint = f"{reference.hint}_{name}"
    return part


def _refusing(name: str) -> Any:
    def refuse(self: EnvironmentMatrix, *args: Any) -> NoReturn:
        self._refuse(name)

    return refuse


_OTHERS = (
    "bool contains getitem setitem delitem iter len hash neg abs pos repr str format"
)
for _name in (
    *_OTHERS.split(),
    *("array", "float", "int", "complex", "index"),
    *(f"{prefix}{own.name}" for own in BINARY_OPERATORS for prefix in ("", "r", "i")),
    *(own.name for own in COMPARISONS),
):
    if f"__{_name}__" not in vars(EnvironmentMatrix) or _name in ("hash", "eq"):
        setattr(EnvironmentMatrix, f"__{_name}__", _refusing(_name))
