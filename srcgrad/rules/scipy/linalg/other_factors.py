"""Rules for ``scipy.linalg``: rq, ldl, orth, angles, tridiagonal eigenvalues."""

import numpy as np
from scipy import linalg

from srcgrad.rules.complexes import adjoint, conj
from srcgrad.rules.compositions import defined_as, defined_by
from srcgrad.rules.factorisations import qr_back
from srcgrad.rules.libraries import reaching
from srcgrad.rules.matrices import symmetric
from srcgrad.rules.registry import defvjp, defvjps
from srcgrad.rules.scipy.linalg.factorizations import refuse
from srcgrad.rules.scipy.linalg.symmetric_pairs import matrix_back
from srcgrad.rules.scipy.scipy_sources import as_in_scipy


# ----- RQ: QR of the matrix turned by half a turn -----
def turned(x):
    """``x`` transposed about its other diagonal."""
    return adjoint(x[..., ::-1, ::-1])


def rq_back(g, a, a_shape, out, mode):
    if mode == "r":
        refuse("rq", "with mode='r': use mode='full' or 'economic'")
    of_r, of_q = g
    r, q = out
    kind = "complete" if mode == "full" else "reduced"
    shape = (*a_shape[:-2], a_shape[-1], a_shape[-2])
    parts = turned(of_q), turned(of_r)
    return turned(qr_back(parts, (turned(q), turned(r)), turned(a), shape, kind))


defvjp(linalg.rq, a=rq_back)


# ----- LDL, of a symmetric (Hermitian) matrix -----
def ldl_back(g, out, lower, hermitian):
    """The diagonal may have blocks of two rows, which count as one step."""
    of_factor, of_middle, _ = g
    factor, middle, order = out
    if not hermitian and np.iscomplexobj(factor):
        refuse("ldl", "of a complex matrix with hermitian=False")
    n = factor.shape[-1]
    is_block = np.logical_or(np.eye(n, dtype=bool), middle != 0)
    below = np.tril(np.ones((n, n), bool), -1)
    side = np.logical_and(below if lower else below.T, np.logical_not(is_block))
    plain = factor[order, :]
    inner = adjoint(plain) @ of_factor[order, :] * side
    inner = inner @ np.linalg.inv(adjoint(middle)) + of_middle * is_block
    inner = symmetric(inner)
    outer = np.linalg.solve(adjoint(plain), inner)
    outer = adjoint(np.linalg.solve(adjoint(plain), adjoint(outer)))
    back = np.argsort(order)
    return outer[back][:, back]


defvjp(linalg.ldl, A=ldl_back)


# ----- Bases and angles between spaces -----
as_in_scipy(linalg, "orth subspace_angles solve_circulant")


# ----- Balancing: it scales by powers of 2, which are steps -----
balanced = reaching(linalg.matrix_balance)


def balance_back(g, out):
    turn = np.abs(out[1])  # real: the permuted scales
    return np.linalg.inv(turn).T @ g[0] @ turn.T


def matrix_balance(A, permute=True, scale=True, separate=False, overwrite_a=False):
    """``scipy.linalg.matrix_balance`` with ``separate=True``; else by its rule."""
    if not separate:
        return NotImplemented
    matrix, turn = balanced(A, permute, scale)
    turn = np.abs(turn)  # a row holds the scale of one column
    return matrix, (np.sum(turn, axis=0), np.argmax(turn, axis=0))


defvjp(linalg.matrix_balance, A=balance_back)
defined_as(linalg.matrix_balance, matrix_balance)


# ----- Tridiagonal matrices -----
eigh_tridiagonal = reaching(linalg.eigh_tridiagonal)


def tridiagonal_back(g, d, e, out, eigvals_only, select, select_range):
    """Of the diagonal, and of both sides of it."""

    def solve():
        return eigh_tridiagonal(d, e)

    whole = matrix_back(g, out, solve, eigvals_only, select, select_range)
    return np.diagonal(whole), np.diagonal(whole, 1) + np.diagonal(whole, -1)


def eigenvalues_back(g, d, e, select, select_range):
    return tridiagonal_back(g, d, e, None, True, select, select_range)


defvjps(linalg.eigh_tridiagonal, tridiagonal_back, "d", "e")
defvjps(linalg.eigvalsh_tridiagonal, eigenvalues_back, "d", "e")


# ----- What is made of other factors and transforms -----
qr_of = reaching(linalg.qr)


def qr_multiply(a, c, mode, pivoting, conjugate):
    """``scipy.linalg.qr_multiply``"""
    q, *rest = qr_of(a, mode="economic", pivoting=pivoting)
    q = conj(q) if conjugate else q
    if mode == "right":
        return (c @ q, *rest)
    size = np.shape(q)[1]
    return ((q @ c[:size]) if np.shape(c)[0] <= size else q @ c, *rest)


defined_by(linalg.qr_multiply, qr_multiply)
