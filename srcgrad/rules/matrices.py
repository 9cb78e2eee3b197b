"""What the rules of linear algebra share: stacks of matrices, and 0 divided by 0."""

import numpy as np

from srcgrad.rules.complexes import adjoint


def columns(x):
    """Scale the columns of a matrix by a vector: ``A * columns(v)``."""
    return np.expand_dims(x, -2)


def rows(x):
    """Scale the rows of a matrix by a vector: ``rows(v) * A``."""
    return np.expand_dims(x, -1)


def scalars(x):
    """Scale each matrix of a stack by a number: ``scalars(c) * A``."""
    return np.expand_dims(x, (-2, -1))


def nonzero(x):
    """Replace zeros by ones, for a quotient that is to be 0 there, not nan."""
    return np.where(x == 0, 1.0, x)


def quotient(x, y):
    """Divide; where nothing is divided, the quotient is 0, by zero too.

    >>> quotient(np.array([0.0, 3.0]), np.array([0.0, 2.0]))
    array([0. , 1.5])
    """
    return x / np.where((x == 0) & (y == 0), 1.0, y)


def transposed(x):
    """The transpose of each matrix of a stack, without conjugation."""
    return np.swapaxes(x, -1, -2)


def symmetric(x):
    """The symmetric (Hermitian) part of a matrix."""
    return (x + adjoint(x)) * 0.5


def skew(x):
    """Twice the skew part of a matrix."""
    return x - adjoint(x)


def identity_like(x):
    """The identity matrix in the precision of a matrix, to be broadcast to its stack.

    >>> identity_like(np.ones((5, 2, 2), np.float32))
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """
    return np.eye(x.shape[-1], dtype=x.dtype)
