"""Rules for ``scipy.linalg``: Cholesky, LU, QR, SVD, eigenvalues, polar, norms."""

import numpy as np
from scipy import linalg

from srcgrad.facts import declare
from srcgrad.protocols import raw_of
from srcgrad.rules.complexes import adjoint
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.factorisations import (
    cholesky_back,
    eigenvalues_of_any_back,
    qr_back,
    qr_factors_forth,
    svd_back,
    svd_forth,
    vectors_of_any_back,
)
from srcgrad.rules.libraries import reaching
from srcgrad.rules.matrices import columns, rows
from srcgrad.rules.registry import defjvp, defvjp, defvjps
from srcgrad.rules.scipy.precision import doubles
from srcgrad.rules.scipy.scipy_sources import as_in_scipy


def refuse(name, what):
    raise NotImplementedError(
        f"srcgrad has no derivative of scipy.linalg.{name} {what}"
    )


# ----- Cholesky -----
cholesky = reaching(linalg.cholesky)


def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
    """``scipy.linalg.cho_factor``, with zeros where SciPy leaves anything."""
    return cholesky(a, lower, False, check_finite), lower


defvjp(linalg.cholesky, a=lambda g, out, lower: cholesky_back(g, out, not lower))
defined_as(linalg.cho_factor, cho_factor)


# ----- LU -----
def factors_back(of_lower, of_upper, lower, upper):
    """The gradient in the product of two triangular factors, square or not."""
    m, n = lower.shape[-2], upper.shape[-1]
    if m < n:  # lower @ [upper, right] = [square, rest]
        right, of_right = upper[..., m:], of_upper[..., m:]
        upper, of_upper = upper[..., :m], of_upper[..., :m]
        of_rest = np.linalg.solve(adjoint(lower), of_right)
        of_lower = of_lower - of_rest @ adjoint(right)
        of_square = square_back(of_lower, of_upper, lower, upper)
        return np.concatenate([of_square, of_rest], axis=-1)
    if m > n:  # [lower, below] @ upper = [square, rest]
        below, of_below = lower[..., n:, :], of_lower[..., n:, :]
        lower, of_lower = lower[..., :n, :], of_lower[..., :n, :]
        of_rest = adjoint(np.linalg.solve(upper, adjoint(of_below)))
        of_upper = of_upper - adjoint(below) @ of_rest
        of_square = square_back(of_lower, of_upper, lower, upper)
        return np.concatenate([of_square, of_rest], axis=-2)
    return square_back(of_lower, of_upper, lower, upper)


def square_back(of_lower, of_upper, lower, upper):
    of_lower = np.tril(adjoint(lower) @ of_lower, -1)
    inner = of_lower + np.triu(of_upper @ adjoint(upper))
    left = np.linalg.solve(adjoint(lower), inner)
    return adjoint(np.linalg.solve(upper, adjoint(left)))


lu_of = reaching(linalg.lu)


def lu_back(g, a, out, permute_l, p_indices):
    *_, of_lower, of_upper = g
    if permute_l:
        p, lower, upper = lu_of(a)
        of_lower = np.swapaxes(p, -1, -2) @ of_lower
        return p @ factors_back(of_lower, of_upper, lower, upper)
    p, lower, upper = out
    of_permuted = factors_back(of_lower, of_upper, lower, upper)
    if p_indices:
        return np.take_along_axis(of_permuted, rows(p), axis=-2)
    return p @ of_permuted


def lu_factor_back(g, a, out):
    """In one matrix; the pivots are steps, so the permutation comes from ``lu``."""
    of_both, (both, _) = g[0], out
    m, n = both.shape[-2:]
    size = min(m, n)
    unit = np.eye(m, size, dtype=both.dtype)
    lower, upper = np.tril(both, -1)[..., :size] + unit, np.triu(both)[..., :size, :]
    of_lower = np.tril(of_both, -1)[..., :size]
    of_permuted = factors_back(of_lower, np.triu(of_both)[..., :size, :], lower, upper)
    return lu_of(a)[0] @ of_permuted


defvjp(linalg.lu, a=lu_back)
defvjp(linalg.lu_factor, a=lu_factor_back)

# ----- QR -----
NUMPY_MODES = {"full": "complete", "economic": "reduced"}


def scipy_qr_back(g, a, a_shape, out, mode, pivoting):
    """By NumPy's rule; with pivoting, of the matrix with its columns in that order."""
    if pivoting:
        *out, order = out
        *g, _ = g
        a = np.take_along_axis(a, columns(order), axis=-1)
    if mode == "r":  # with rows of zeros below, which NumPy's has not
        size = min(a_shape[-2:])
        if isinstance(out, (list, tuple)):  # as SciPy gives it, unless it is stacked
            g, out = g[0], out[0]
        g, out = g[..., :size, :], out[..., :size, :]
    back = qr_back(g, out, a, a_shape, NUMPY_MODES.get(mode, mode))
    if not pivoting:
        return back
    return np.take_along_axis(back, columns(np.argsort(order, axis=-1)), axis=-1)


def scipy_qr_forth(a_shape, out, mode, pivoting):
    is_plain = mode == "economic" and not pivoting
    return qr_factors_forth(out, a_shape) if is_plain else None


def qr(a, overwrite_a=False, lwork=None, mode="full", pivoting=False, **others):
    if mode == "raw":
        refuse("qr", "with mode='raw': use mode='full' or 'economic'")
    return NotImplemented


defvjp(linalg.qr, a=scipy_qr_back)
defined_as(linalg.qr, qr)
defjvp(linalg.qr, a=scipy_qr_forth)


# ----- SVD, polar decomposition -----
def scipy_svd_back(g, a, a_shape, out, full_matrices, compute_uv):
    return svd_back(g, a, a_shape, out, full_matrices, compute_uv, False)


def scipy_svd_forth(a, a_shape, out, full_matrices, compute_uv):
    return svd_forth(a, a_shape, out, full_matrices, compute_uv, False)


defvjp(linalg.svd, a=scipy_svd_back)
defjvp(linalg.svd, a=scipy_svd_forth)
as_in_scipy(linalg, "svdvals polar orthogonal_procrustes")


# ----- Eigenvalues of any matrix, and of pairs -----
def check_plain(name, homogeneous_eigvals, left=False):
    if left or homogeneous_eigvals:
        refuse(name, "for left eigenvectors, or homogeneous eigenvalues")


def quotient_of(a, b):
    """The matrix that has the eigenvalues of the pair, ``a @ v == w * b @ v``."""
    return a if b is None else np.linalg.solve(b, a)


def in_pair(of_quotient, a, b):
    """The gradients in both matrices of a pair, of that in their quotient."""
    if b is None:
        return of_quotient, None
    of_a = np.linalg.solve(adjoint(b), of_quotient)
    return of_a, -of_a @ adjoint(quotient_of(a, b))


def scipy_eig_back(g, a, b, left, right, homogeneous_eigvals, out):
    check_plain("eig", homogeneous_eigvals, left)
    if not right:
        refuse("eig", "with right=False: use scipy.linalg.eigvals")
    # Of a pair LAPACK chooses other phases than of one matrix.
    back = vectors_of_any_back(g, out, are_phases_known=b is None)
    return in_pair(back, a, b)


def eigvals_back(g, a, b, homogeneous_eigvals, out):
    check_plain("eigvals", homogeneous_eigvals)
    return in_pair(eigenvalues_of_any_back(g, quotient_of(a, b), out), a, b)


defvjps(linalg.eig, scipy_eig_back, "a", "b")
defvjps(linalg.eigvals, eigvals_back, "a", "b")
# Its eigenvalues are always complex, its eigenvectors are not.
declare(linalg.eig, raises=True, complex_by_value=True)


# ----- Norms -----
def norm(a, ord=None, axis=None, keepdims=False, check_finite=True):
    out = np.linalg.norm(a, ord, axis, keepdims)
    is_simple = axis is None and not keepdims and np.size(a) > 0
    # SciPy asks BLAS or LAPACK, whose result is Python's float.
    if is_simple and (np.ndim(a) == 1 and ord in (None, 2)):
        return doubles(out)
    flags = getattr(raw_of(a), "flags", None)
    is_in_order = flags is None or flags.forc
    if is_simple and np.ndim(a) == 2 and ord in (1, np.inf) and is_in_order:
        return doubles(out)
    return out


defined_as(linalg.norm, norm)
