"""``scipy.sparse.linalg``: matrices as operators, and factors that solve.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import sparse
>>> data = srcgrad.Variable(np.array([2.0, 4.0]), requires_grad=True)
>>> factors = sparse.linalg.splu(sparse.diags_array(data, format="csc"))
>>> factors.solve(np.array([1.0, 1.0])).sum().backward()
>>> data.grad.data
array([-0.25  , -0.0625])
"""

import functools

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from srcgrad.errors import NoRuleError, describe, here
from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.libraries import LOOKING, REPLACEMENTS
from srcgrad.rules.scipy.sparse import filled, matmul
from srcgrad.scipy.parameters import refuse
from srcgrad.scipy.sparse_matrices.arrays import (
    SparseArray,
    factor_solution,
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


@functools.wraps(linalg.aslinearoperator)
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
            raise NoRuleError(
                f"srcgrad has no derivative of splu by its factor `{name}` "
                f"({describe(here())}): use scipy.linalg.lu of `.toarray()`"
            )
        return found


@functools.wraps(linalg.splu)
def splu(A, *args, **kwargs):
    return Factors(A, linalg.splu(sparse.csc_array(raw_matrix(A)), *args, **kwargs))


@functools.wraps(linalg.spilu)
def spilu(A, *args, **kwargs):
    if not is_plain(A):
        refuse(
            "sparse.linalg.spilu", "by the matrix, of which it drops parts: use splu"
        )
    return Factors(A, linalg.spilu(A, *args, **kwargs))


for _original, _replacement in (
    (linalg.aslinearoperator, aslinearoperator),
    (linalg.splu, splu),
    (linalg.spilu, spilu),
):
    REPLACEMENTS[_original] = _replacement
    LOOKING.add(_replacement)
