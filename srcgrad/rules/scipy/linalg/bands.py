"""Rules for ``scipy.linalg``: half of a banded matrix for the whole; null spaces."""

import numpy as np
from scipy import linalg

from srcgrad.facts import declare
from srcgrad.rules.complexes import adjoint, conj
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.factorisations import undetermined
from srcgrad.rules.libraries import reaching
from srcgrad.rules.matrices import skew
from srcgrad.rules.registry import defvjp
from srcgrad.rules.scipy.linalg.linear_equations import (
    adjoint_bands,
    shifted,
    solve_banded,
)
from srcgrad.rules.scipy.linalg.symmetric_pairs import matrix_back


# ----- One half of a Hermitian matrix -----
def half(first, second, rows, lower):
    """What ``first @ adjoint(second)``, as a gradient, is in the bands that are given.

    An element off the diagonal stands for two; the vectors are rows.
    """
    out = []
    for k in range(rows):
        along = np.sum(shifted(first, k) * conj(second), axis=0)
        back = np.sum(first * conj(shifted(second, k)), axis=0)
        both = np.real(along) if not k else along + conj(back)
        out.append(shifted(conj(both), -k) if lower else both)
    return np.stack(out if lower else out[::-1])


def whole(ab, lower):
    """The matrix itself."""
    n, rows = np.shape(ab)[1], np.shape(ab)[0]
    out = 0.0
    for k in range(rows):
        band = ab[k, : n - k] if lower else ab[rows - 1 - k, k:]
        if k == 0:
            out = out + np.diag(np.real(band))
        else:
            ahead = np.diag(conj(band) if lower else band, k)
            out = out + ahead + adjoint(ahead)
    return out


# ----- Solutions -----
solveh_banded = reaching(linalg.solveh_banded)


def solveh_left(g, ab, out, lower):
    of_b = -solveh_banded(ab, g, lower=lower)
    of_b, x = np.atleast_2d(of_b.T), np.atleast_2d(out.T)
    return half(of_b, x, np.shape(ab)[0], lower)


defvjp(
    linalg.solveh_banded,
    ab=solveh_left,
    b=lambda g, ab, lower: solveh_banded(ab, g, lower=lower),
)


def cho_solve_banded(cb_and_lower, b, overwrite_b=False, check_finite=True):
    """``scipy.linalg.cho_solve_banded``: by one factor, then by its adjoint."""
    cb, lower = cb_and_lower
    k = np.shape(cb)[0] - 1
    turned = adjoint_bands(cb, k, 0) if lower else adjoint_bands(cb, 0, k)
    first, second = (cb, turned) if lower else (turned, cb)
    return solve_banded((0, k), second, solve_banded((k, 0), first, b))


def cholesky_banded(ab, overwrite_ab=False, lower=False, check_finite=True):
    """``scipy.linalg.cholesky_banded``, of the whole matrix."""
    factor = np.linalg.cholesky(whole(ab, lower))
    rows = []
    for k in range(np.shape(ab)[0]):
        band = np.diagonal(factor, -k)
        rows.append(np.pad(band if lower else conj(band), (0, k) if lower else (k, 0)))
    return np.stack(rows if lower else rows[::-1])


defined_as(linalg.cho_solve_banded, cho_solve_banded)
defined_as(linalg.cholesky_banded, cholesky_banded)

# ----- Eigenvalues -----
eig_banded = reaching(linalg.eig_banded)


def eig_banded_back(g, a_band, out, lower, eigvals_only, select, select_range):

    def solve():
        return eig_banded(a_band, lower=lower)

    whole = matrix_back(g, out, solve, eigvals_only, select, select_range)
    unit = np.eye(np.shape(a_band)[1], dtype=whole.dtype)
    return half(whole.T, unit, np.shape(a_band)[0], lower)


def eigvals_banded_back(g, a_band, lower, select, select_range):
    return eig_banded_back(g, a_band, None, lower, True, select, select_range)


defvjp(linalg.eig_banded, a_band=eig_banded_back)
defvjp(linalg.eigvals_banded, a_band=eigvals_banded_back)


# ----- Null spaces -----
def null_space_back(g, A, out):
    """By what turns the basis in its own space there is no derivative: it is chosen."""
    turns = skew(adjoint(out) @ g)
    unknown = np.sum(undetermined(turns, 1e-6 * np.max(np.abs(g), initial=0.0)))
    return unknown - adjoint(np.linalg.pinv(A)) @ g @ adjoint(out)


defvjp(linalg.null_space, A=null_space_back)
declare(linalg.null_space, raises=True, shape_by_value=True)
