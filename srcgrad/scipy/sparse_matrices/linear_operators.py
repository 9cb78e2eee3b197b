"""``scipy.sparse.linalg``: matrices as operators, and factors that solve."""

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from srcgrad.errors import NoRuleError, located
from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.scipy.sparse_products import filled, matmul
from srcgrad.scipy.parameters import refuse
from srcgrad.scipy.replacing import raws
from srcgrad.scipy.sparse_matrices.arrays import (
    SparseArray,
    factor_solution,
    in_place_of,
    is_plain,
    spsolve,
)


# ----- A matrix, in whatever form it is given -----
def raw_matrix(A):
    """It as SciPy's, without Variables."""
    if isinstance(A, MatrixOperator):
        return raw_matrix(A.matrix)
    if isinstance(A, SparseArray):
        return filled(raw_of(A.data), A.pattern)
    return A if sparse.issparse(A) else sparse.csr_array(raw_of(A))


def plain(item):
    """What SciPy gets for an argument: its own matrix, or numbers."""
    is_ours = isinstance(item, (SparseArray, MatrixOperator))
    return raw_matrix(item) if is_ours else raws(item)


def dense_matrix(A):
    """It as an array, with them."""
    if isinstance(A, MatrixOperator):
        return dense_matrix(A.matrix)
    return A.toarray() if isinstance(A, SparseArray) or sparse.issparse(A) else A


def check_matrix(name, *operands):
    """Refuse an operator of which nothing is known but what it does to vectors."""
    for A in operands:
        if isinstance(A, linalg.LinearOperator) and not isinstance(A, MatrixOperator):
            refuse(f"sparse.linalg.{name}", "of an operator: give it the matrix")


# ----- Operators -----
class MatrixOperator(linalg.LinearOperator):
    """What ``aslinearoperator`` makes of a matrix: products that take Variables."""

    def __init__(self, matrix):
        super().__init__(matrix.dtype, matrix.shape)
        self.matrix = matrix
        self.holds_variables = not is_plain(matrix)

    def matvec(self, x):
        if np.shape(x) not in ((self.shape[1],), (self.shape[1], 1)):
            raise ValueError("dimension mismatch")
        return self._times(x)

    def matmat(self, X):
        return self._times(X)

    def rmatvec(self, x):
        return self._adjoint().matvec(x)

    def rmatmat(self, X):
        return self._adjoint().matmat(X)

    def dot(self, x):
        if isinstance(x, linalg.LinearOperator) or np.ndim(x) == 0:
            if self.holds_variables or first_variable(x) is not None:
                refuse("sparse.linalg", "of operators that are multiplied or scaled")
            return super().dot(x)
        return self._times(x)

    def _times(self, x):
        if sparse.issparse(self.matrix) and first_variable(x) is not None:
            return matmul(self.matrix, x)
        return self.matrix @ x

    def _matvec(self, x):
        return self.matrix @ x

    def _adjoint(self):
        if not isinstance(self.matrix, SparseArray):
            return MatrixOperator(self.matrix.conj().T)
        turned = SparseArray(np.conj(self.matrix.data), self.matrix.pattern)
        return MatrixOperator(turned.T)

    def _transpose(self):
        return MatrixOperator(self.matrix.T)


@in_place_of(linalg.aslinearoperator, is_plain=lambda A: False)
def aslinearoperator(A):
    is_matrix = isinstance(A, (SparseArray, np.ndarray)) or sparse.issparse(A)
    if not is_matrix and first_variable(A) is None:
        return linalg.aslinearoperator(A)
    if np.ndim(A) != 2 and not isinstance(A, SparseArray):
        raise ValueError("array must have ndim <= 2")
    return MatrixOperator(A)


# ----- Factors -----
class Factors:
    """What ``splu`` makes: SuperLU's object, whose ``solve`` takes Variables."""

    def __init__(self, A, factors):
        self._matrix, self._factors = A, factors

    def solve(self, rhs, trans="N"):
        if is_plain(self._matrix):
            if first_variable(rhs) is None:
                return self._factors.solve(rhs, trans)
            return factor_solution(self._factors, rhs, trans)
        A = self._matrix
        if trans == "H":
            A = SparseArray(np.conj(A.data), A.pattern)
        return spsolve(A if trans == "N" else A.T, rhs)

    def __getattr__(self, name):
        found = getattr(self._factors, name)
        if name in ("L", "U") and not is_plain(self._matrix):
            raise located(
                NoRuleError(
                    f"srcgrad has no derivative of splu by its factor `{name}`"
                ),
                "use scipy.linalg.lu of `.toarray()`",
            )
        return found


def in_columns(item):
    """A matrix as SuperLU takes it; all else as it is."""
    is_matrix = isinstance(item, (SparseArray, MatrixOperator)) or sparse.issparse(item)
    return sparse.csc_array(raw_matrix(item)) if is_matrix else item


@in_place_of(linalg.splu, is_plain=lambda A: False, raw=in_columns)
def splu(found, A):
    return Factors(A, found)


@in_place_of(linalg.spilu, is_plain=lambda A: False)
def spilu(run, A):
    if not is_plain(A):
        refuse(
            "sparse.linalg.spilu", "by the matrix, of which it drops parts: use splu"
        )
    return Factors(A, run())
