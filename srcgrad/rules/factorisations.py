"""Rules for factorisations: Cholesky, QR, eigenvalues, singular values.

What reads one triangle of a symmetric (Hermitian) matrix has a symmetric gradient, as
if it read both. Vectors of equal values have no derivative, nor has what depends on a
choice that LAPACK makes as it likes: such a gradient is nan.
"""

import numpy as np

from srcgrad.rules.complexes import adjoint, conj, is_complex
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.matrices import (
    columns,
    identity_like,
    quotient,
    rows,
    skew,
    symmetric,
)
from srcgrad.rules.registry import defvjp


# ----- Cholesky -----
def cholesky_back(g, out, upper):
    lower, g = (adjoint(out), adjoint(g)) if upper else (out, g)
    # The lower triangle with half of the diagonal.
    half = adjoint(lower) @ g
    half = (np.tril(half) + np.tril(half, -1)) * 0.5
    left = np.linalg.solve(adjoint(lower), half)
    return symmetric(adjoint(np.linalg.solve(adjoint(lower), adjoint(left))))


defvjp(np.linalg.cholesky, a=cholesky_back)


# ----- QR -----
def qr_back(g, out, a, a_shape, mode):
    """The gradient in all modes, by that of the reduced one."""
    if mode not in ("reduced", "complete", "r"):
        raise NotImplementedError(
            f"srcgrad has no derivative of np.linalg.qr with mode={mode!r}, whose "
            "results are LAPACK's own: use mode='reduced' or 'complete'"
        )
    n = min(a_shape[-2:])
    if mode == "r":
        q, _ = np.linalg.qr(a)
        of_q, r, of_r = np.zeros_like(q), out, g
    else:
        (of_q, of_r), (q, r) = g, out
    if q.shape[-1] > n:
        of_q, q = of_first_columns(of_q, q, n), q[..., :n]
        of_r, r = of_r[..., :n, :], r[..., :n, :]
    if a_shape[-1] == n:
        return reduced_back(of_q, of_r, q, r)
    # Of a wide matrix the first columns make Q; the others are Q @ (the rest of R).
    beyond, of_beyond = a[..., n:], of_r[..., n:]
    of_q = of_q + beyond @ adjoint(of_beyond)
    of_first = reduced_back(of_q, of_r[..., :n], q, r[..., :n])
    return np.concatenate((of_first, q @ of_beyond), axis=-1)


def reduced_back(of_q, of_r, q, r):
    inner = r @ adjoint(of_r) - adjoint(of_q) @ q
    below = np.tril(inner, -1)
    both = below + adjoint(below) + np.triu(np.tril(np.real(inner)))
    return adjoint(np.linalg.solve(r, adjoint(of_q + q @ both)))


def of_first_columns(of_q, q, n):
    """Take the cotangent of a whole Q to that of its first n columns.

    Householder's reflections make the others of these: with ``[[top], [bottom]]`` for
    the first columns and 1 for ``[[1], [0]]``, they are
    ``[[0], [1]] + (first - 1) @ (bottom @ inv(top - 1)).H``.
    """
    first, of_rest = q[..., :n], of_q[..., n:]
    change = first - np.eye(*q.shape[-2:], dtype=q.dtype)[:, :n]
    inverse = np.linalg.inv(change[..., :n, :])
    ratio = first[..., n:, :] @ inverse
    of_bottom = adjoint(of_rest) @ change @ adjoint(inverse)
    of_parts = (-adjoint(ratio) @ of_bottom, of_bottom)
    return of_q[..., :n] + of_rest @ ratio + np.concatenate(of_parts, axis=-2)


defvjp(np.linalg.qr, a=qr_back)


# ----- Eigenvalues -----
def over_gaps(x, none, values):
    """Divide element (i, j) by ``values[j] - values[i]``; the diagonal becomes 0.

    Between equal values it is 0 where no gradient flows into vectors, and else nan.
    """
    n = values.shape[-1]
    gaps = columns(values) - rows(values)
    size = np.max(np.abs(values), axis=-1, keepdims=True, initial=0.0)
    equal = np.abs(gaps) <= np.finfo(size.dtype).eps * n * rows(size)
    gaps = np.where(equal, np.nan, gaps)
    return x / np.where(equal & (none | np.eye(n, dtype=bool)), np.inf, gaps)


def noise_of(x, y):
    """How large a sum of products may be that is 0 but for rounding, by columns."""
    sums = np.sum(np.abs(x) * np.abs(y), axis=-2, keepdims=True)
    return np.sqrt(np.finfo(sums.dtype).eps) * sums


def of_unit_vectors(of_vectors, vectors, fixed):
    """Take out of a cotangent what changes the lengths and the phases of vectors.

    The lengths are 1. The phases make the element where ``fixed`` is 1 a real number;
    that does not concern what does not depend on them.
    """
    along = np.sum(conj(of_vectors) * vectors, axis=-2, keepdims=True)
    noise = noise_of(of_vectors, vectors)
    of_vectors = of_vectors - np.real(along) * vectors
    if not is_complex(vectors):
        return of_vectors
    turn = np.where(np.abs(np.imag(along)) <= noise, 0.0, np.imag(along))
    real = np.sum(fixed * vectors, axis=-2, keepdims=True)
    # nan, should LAPACK choose other phases some day.
    real = np.where(np.imag(real) == 0, np.real(real), np.nan)
    return of_vectors + 1j * (quotient(turn, real) * fixed)


def eigh_back(g, out, UPLO):
    (of_values, of_vectors), (values, vectors) = g, out
    back = adjoint(vectors)
    if is_complex(vectors):
        # LAPACK makes the first elements real numbers, or the last.
        place = slice(1) if UPLO in "Ll" else slice(-1, None)
        of_vectors = of_unit_vectors(
            of_vectors, vectors, identity_like(values)[:, place]
        )
    inner = back @ of_vectors
    inner = over_gaps(inner, inner == 0, values)
    return symmetric(vectors @ (inner @ back + rows(of_values) * back))


def eigenvalues_back(g, a, UPLO):
    _, vectors = np.linalg.eigh(a, UPLO)
    return (vectors * columns(g)) @ adjoint(vectors)


def eig_back(g, out):
    (of_values, of_vectors), (values, vectors) = g, out
    fixed = largest(vectors) if is_complex(vectors) else None
    of_vectors = of_unit_vectors(of_vectors, vectors, fixed)
    back = adjoint(vectors)
    inner = back @ of_vectors
    inner = over_gaps(inner, inner == 0, conj(values))
    return np.linalg.solve(back, inner @ back + rows(of_values) * back)


def largest(vectors):
    """One for the largest element of each vector, which LAPACK makes a real number."""
    size = np.where(np.imag(vectors) == 0, np.abs(vectors), -1.0)
    place = np.argmax(size, axis=-2, keepdims=True)
    return np.where(place == rows(np.arange(vectors.shape[-1])), 1.0, 0.0)


def eigenvalues_of_any_back(g, a, out):
    values, vectors = np.linalg.eig(a)
    # Of large matrices LAPACK finds them in another order if it finds vectors too.
    distance = np.abs(rows(out) - columns(values))
    size = np.max(np.abs(values), axis=-1, keepdims=True, initial=0.0)
    noise = np.sqrt(np.finfo(size.dtype).eps) * rows(size)
    place = np.argmin(distance + noise * (1.0 - identity_like(distance)), axis=-1)
    back = adjoint(np.take_along_axis(vectors, columns(place), axis=-1))
    return np.linalg.solve(back, rows(g) * back)


defvjp(np.linalg.eigh, a=eigh_back)
defvjp(np.linalg.eigvalsh, a=eigenvalues_back)
defvjp(np.linalg.eig, a=eig_back)
defvjp(np.linalg.eigvals, a=eigenvalues_of_any_back)


# ----- Singular values -----
def svd_back(g, a, a_shape, out, full_matrices, compute_uv, hermitian):
    m, n = a_shape[-2:]
    if not compute_uv:
        u, _, vh = np.linalg.svd(a, full_matrices=False, hermitian=hermitian)
        return (u * columns(g)) @ vh
    (of_u, of_s, of_vh), (u, s, vh) = g, out
    of_v, v = adjoint(of_vh), adjoint(vh)
    if hermitian:
        # Eigenvectors and absolute eigenvalues; the signs are in v.
        signs = np.sum(np.real(u * conj(v)), axis=-2)
        of_vectors = of_u + of_v * columns(signs)
        return eigh_back((of_s * signs, of_vectors), (s * signs, u), "L")
    if full_matrices and m > n:
        of_u, u = of_basis(of_u, u, n), u[..., :n]
    if full_matrices and n > m:
        of_v, v = of_basis(of_v, v, m), v[..., :m]
    return decomposed_back(of_u, of_s, of_v, u, s, v)


def decomposed_back(of_u, of_s, of_v, u, s, v):
    m, n, vh = u.shape[-2], v.shape[-2], adjoint(v)
    skew_u, skew_v = skew(adjoint(u) @ of_u), skew(vh @ of_v)
    none = (skew_u == 0) & (skew_v == 0)
    inner = over_gaps(skew_u + skew_v, none, s)
    inner = 0.5 * (inner + quotient(skew_u - skew_v, columns(s) + rows(s)))
    if is_complex(u):
        # A pair of vectors has one phase, which LAPACK chooses as it likes.
        turn = np.diagonal(skew_u + skew_v, 0, -2, -1)
        noise = noise_of(of_u, u) + noise_of(of_v, v)
        of_s = of_s + undetermined(turn, noise[..., 0, :])
    of_a = u @ (inner @ vh + rows(of_s) * vh)
    if m > n:
        beyond = quotient(of_u, columns(s))
        of_a = of_a + (beyond - u @ (adjoint(u) @ beyond)) @ vh
    if n > m:
        beyond = quotient(of_v, columns(s))
        of_a = of_a + u @ adjoint(beyond - v @ (vh @ beyond))
    return of_a


def of_basis(of_q, q, n):
    """Take the cotangent of an orthonormal basis to that of its first n vectors.

    The others span the rest of the space. LAPACK chooses them as it likes, so what
    depends on the choice has no derivative, unless there is but one.
    """
    first, rest, of_rest = q[..., :n], q[..., n:], of_q[..., n:]
    of_first = of_q[..., :n] - rest @ (adjoint(of_rest) @ first)
    turn = adjoint(rest) @ of_rest
    size = np.max(np.abs(turn), axis=(-2, -1), keepdims=True, initial=0.0)
    unknown = undetermined(skew(turn), np.sqrt(np.finfo(size.dtype).eps) * size)
    return of_first + np.sum(unknown, axis=(-2, -1), keepdims=True)


def undetermined(x, noise):
    """nan where something is not 0 that is, in what is differentiable; 0 elsewhere."""
    return np.where(np.abs(x) <= noise, 0.0, np.nan)


def svdvals(x, /):
    return np.linalg.svd(x, compute_uv=False)


defvjp(np.linalg.svd, a=svd_back)
defined_as(np.linalg.svdvals, svdvals)
