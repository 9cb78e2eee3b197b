"""Rules for ``np.linalg``: determinants, those of singular matrices too.

The derivative of a determinant is the matrix of its cofactors. Up to four rows these
are made of products. Beyond, they are the inverse times the determinant; where the
inverse is inexact, or is none, they are found between singular vectors, as products of
all singular values but one, and their own derivative as those of all but two.
"""

import numpy as np

from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.rules.complexes import adjoint, conj, is_complex
from srcgrad.rules.matrices import columns, identity_like, rows, scalars, transposed
from srcgrad.rules.registry import defconstant, defjvp, defvjp


def real_of(a):
    """The dtype of the parts of numbers."""
    return np.zeros(0, a.dtype).real.dtype


def log_determinant_back(g, a, out):
    of_sign, of_log = g
    if is_complex(a):
        sign, _ = out
        of_log = of_log - 1j * np.imag(np.conjugate(of_sign) * sign)
    return scalars(of_log) * adjoint(np.linalg.inv(a))


def cofactors(a):
    """The derivative of the determinant."""
    n = a.shape[-1]
    if n < 2:
        return np.ones(np.shape(a), a.dtype)
    if n > 4:
        return large_cofactors(a)
    if n == 2:
        return a[..., ::-1, ::-1] * np.array([[1.0, -1.0], [-1.0, 1.0]], real_of(a))
    if n == 3:
        return np.cross(a[..., [1, 2, 0], :], a[..., [2, 0, 1], :])
    others = np.array([[k for k in range(n) if k != i] for i in range(n)])
    minors = a[..., others[:, None, :, None], others[:, None, :]]
    signs = (-1.0) ** np.add.outer(np.arange(n), np.arange(n))
    return np.linalg.det(minors) * signs.astype(real_of(a))


defvjp(np.linalg.det, a=lambda g, a: scalars(g) * conj(cofactors(a)))
defvjp(np.linalg.slogdet, a=log_determinant_back)
defconstant(np.linalg.matrix_rank)


# ----- Of more than four rows -----
def exact_inverse(a):
    """The inverses, if each is exact to the larger part of its digits, or of nan."""
    try:
        inverse = np.linalg.inv(a)
    except np.linalg.LinAlgError:
        return None
    condition = norms(a) * norms(inverse)
    is_exact = condition < np.finfo(condition.dtype).eps ** (-1 / 3)
    return inverse if np.all(is_exact | np.isnan(condition)) else None


def norms(a):
    return np.linalg.norm(a, axis=(-2, -1))


def between(values):
    """The products of all values but two, as a matrix with zeros on the diagonal."""
    n = values.shape[-1]
    later = np.where(np.tri(n, k=0, dtype=bool), 1.0, columns(values))
    ones = np.ones_like(values[..., :1])
    upto = np.cumprod(later, axis=-1)
    inner = np.concatenate([np.ones_like(upto[..., :1]), upto[..., :-1]], axis=-1)
    before = np.cumprod(np.concatenate([ones, values[..., :-1]], axis=-1), axis=-1)
    after = np.concatenate([values[..., :0:-1], ones], axis=-1)
    after = np.concatenate([ones, np.cumprod(after, axis=-1)[..., :-1]], axis=-1)
    above = np.triu(rows(before) * inner * columns(after[..., ::-1]), 1)
    return above + transposed(above)


def adjugates(a, inner):
    """``inner``, of the singular values and the products, between singular vectors."""
    left, values, right = np.linalg.svd(a)
    turn = scalars(np.linalg.det(left) * np.linalg.det(right))
    return turn * (adjoint(right) @ inner(left, values, right) @ adjoint(left))


@dispatched
def large_cofactors(a):
    """The cofactors of each element, of matrices of any rank.

    >>> large_cofactors(np.diag([1.0, 2.0, 3.0, 4.0, 0.0])).diagonal()
    array([ 0.,  0.,  0.,  0., 24.])
    """
    inverse = exact_inverse(a)
    if inverse is not None:
        return scalars(np.linalg.det(a)) * transposed(inverse)

    def inner(left, values, right):
        others = between(values)
        # All but two, times the other one of these.
        near = np.roll(np.arange(values.shape[-1]), -1)
        others = others[..., np.arange(len(near)), near] * values[..., near]
        return rows(others) * identity_like(others)

    return transposed(adjugates(a, inner))


@dispatched
def cofactor_changes(a, t):
    """How the cofactors change when ``a`` changes by ``t``."""
    inverse = exact_inverse(a)
    if inverse is not None:
        part = inverse @ t
        return scalars(np.linalg.det(a)) * transposed(
            scalars(np.trace(part, 0, -2, -1)) * inverse - part @ inverse
        )

    def inner(left, values, right):
        others, part = between(values), adjoint(left) @ t @ adjoint(right)
        sums = others @ rows(np.diagonal(part, 0, -2, -1))
        return sums * identity_like(others) - others * part

    return transposed(adjugates(a, inner))


def changes_back(g, a, t):
    """The third derivative of the determinant, of matrices that have an inverse."""
    inverse = np.linalg.inv(a)
    x, y = inverse @ t, inverse @ conj(g)
    of_x, of_y = scalars(np.trace(x, 0, -2, -1)), scalars(np.trace(y, 0, -2, -1))
    both = of_x * of_y - scalars(np.trace(x @ y, 0, -2, -1))
    ways = both * identity_like(a) - of_x * y - of_y * x + x @ y + y @ x
    return conj(scalars(np.linalg.det(a)) * transposed(ways @ inverse))


defvjp(large_cofactors, a=lambda g, a: conj(cofactor_changes(a, conj(g))))
defjvp(large_cofactors, a=lambda a: lambda t: cofactor_changes(a, t))
defvjp(
    cofactor_changes,
    a=changes_back,
    t=lambda g, a: conj(cofactor_changes(a, conj(g))),
)
for _function in (large_cofactors, cofactor_changes):
    declare(_function, raises=True)
