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
    nonzero,
    quotient,
    rows,
    scalars,
    skew,
    symmetric,
)
from srcgrad.rules.registry import defjvp, defvjp


# ----- Cholesky -----
def cholesky_back(g, out, upper):
    lower, g = (adjoint(out), adjoint(g)) if upper else (out, g)
    # The lower triangle with half of the diagonal.
    half = adjoint(lower) @ g
    half = (np.tril(half) + np.tril(half, -1)) * 0.5
    # One inverse for both sides takes two thirds of the time of solving twice. That of
    # the upper triangle, where no rows change places, loses a digit at the most.
    inverse = np.linalg.inv(adjoint(lower))
    return symmetric(inverse @ half @ adjoint(inverse))


defvjp(np.linalg.cholesky, a=cholesky_back)


# ----- QR -----
def qr_back(g, out, a, a_shape, mode):
    if mode in ("reduced", "complete"):
        return factors_back(g, out, a_shape)
    if mode == "r":
        q, _ = np.linalg.qr(a)
        return factors_back((np.zeros_like(q), g), (q, out), a_shape)
    raise NotImplementedError(
        f"srcgrad has no derivative of np.linalg.qr with mode={mode!r}, whose results "
        "are LAPACK's own: use mode='reduced' or 'complete'"
    )


def factors_back(g, out, a_shape):
    """The gradient from those of Q and R, by that of tall and square matrices."""
    (of_q, of_r), (q, r) = g, out
    n = min(a_shape[-2:])
    if q.shape[-1] > n:
        of_q, q = of_first_columns(of_q, q, n), q[..., :n]
        of_r, r = of_r[..., :n, :], r[..., :n, :]
    if a_shape[-1] == n:
        return reduced_back(of_q, of_r, q, r)
    # Of a wide matrix the first columns make Q; the others are Q @ (the rest of R).
    beyond, of_beyond = q @ r[..., n:], of_r[..., n:]
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


def qr_forth(out, a_shape, mode):
    """Of tall and square matrices; those of others are transposed."""
    return qr_factors_forth(out, a_shape) if mode == "reduced" else None


def qr_factors_forth(out, a_shape):
    if a_shape[-2] < a_shape[-1]:
        return None

    def forth(t):
        q, r = out
        ratio = adjoint(np.linalg.solve(adjoint(r), adjoint(t)))
        inner = adjoint(q) @ ratio
        below = np.tril(inner, -1)
        turn = below - adjoint(below)
        if is_complex(q):  # the diagonal of R is real
            turn = turn + 1j * np.imag(np.triu(np.tril(inner)))
        return ratio + q @ (turn - inner), (inner - turn) @ r

    return forth


defvjp(np.linalg.qr, a=qr_back)
defjvp(np.linalg.qr, a=qr_forth)


# ----- Eigenvalues -----
def over_gaps(x, values, none=None, among=None, own=None):
    """Divide element (i, j) by ``values[j] - values[i]``; the diagonal becomes 0.

    Between equal values it is 0 where no gradient flows into vectors (``none``), and
    else nan. Values that are a part of others lie ``among`` these: ``own`` are their
    places, instead of the diagonal.
    """
    none = x == 0 if none is None else none
    among = values if among is None else among
    n = among.shape[-1]
    own = np.eye(n, dtype=bool) if own is None else own
    gaps = columns(values) - rows(among)
    size = np.max(np.abs(among), axis=-1, keepdims=True, initial=0.0)
    equal = np.abs(gaps) <= np.finfo(size.dtype).eps * n * rows(size)
    gaps = np.where(equal | own, np.nan, gaps)
    return x / np.where(own | (equal & none), np.inf, gaps)


def noise_of(x, y):
    """How large a sum of products may be that is 0 but for rounding, by columns."""
    sums = np.sum(np.abs(x) * np.abs(y), axis=-2, keepdims=True)
    return np.sqrt(np.finfo(sums.dtype).eps) * sums


def of_unit_vectors(of_vectors, vectors, fixed):
    """Take out of a cotangent what changes the lengths and the phases of vectors.

    The lengths are 1. The phases make the element where ``fixed`` is 1 a real number;
    that does not concern what does not depend on them. Without it nobody knows them.
    """
    along = np.sum(conj(of_vectors) * vectors, axis=-2, keepdims=True)
    noise = noise_of(of_vectors, vectors)
    of_vectors = of_vectors - np.real(along) * vectors
    if not is_complex(vectors):
        return of_vectors
    if fixed is None:
        return of_vectors + undetermined(np.imag(along), noise) * vectors
    turn = np.where(np.abs(np.imag(along)) <= noise, 0.0, np.imag(along))
    real = np.sum(fixed * vectors, axis=-2, keepdims=True)
    # nan, should LAPACK choose other phases some day.
    real = np.where(np.imag(real) == 0, np.real(real), np.nan)
    return of_vectors + 1j * (quotient(turn, real) * fixed)


def of_any_phases(of_vectors, vectors):
    """The cotangent of vectors whose phases nobody knows: nan if it concerns these."""
    if not is_complex(vectors):
        return of_vectors
    along = np.sum(conj(of_vectors) * vectors, axis=-2, keepdims=True)
    unknown = undetermined(np.imag(along), noise_of(of_vectors, vectors))
    return of_vectors + unknown * vectors


def eigh_back(g, out, UPLO):
    (of_values, of_vectors), (values, vectors) = g, out
    back = adjoint(vectors)
    if is_complex(vectors):
        # LAPACK makes the first elements real numbers, or the last.
        place = slice(1) if UPLO in "Ll" else slice(-1, None)
        of_vectors = of_unit_vectors(
            of_vectors, vectors, identity_like(values)[:, place]
        )
    inner = over_gaps(back @ of_vectors, values)
    return symmetric(vectors @ (inner @ back + rows(of_values) * back))


def eigenvalues_back(g, a, UPLO):
    _, vectors = np.linalg.eigh(a, UPLO)
    return (vectors * columns(g)) @ adjoint(vectors)


def is_doubtful(left):
    """Which eigenvalues are multiple, up to rounding, and lack vectors of their own.

    These move infinitely fast. The rows of ``left``, the inverse of the eigenvectors,
    then grow beyond all bounds.
    """
    sizes = np.sum(np.real(left * conj(left)), axis=-1)
    return sizes * np.finfo(sizes.dtype).eps > 0.01


def unknown_where(doubtful, g):
    """A cotangent with nan where it is doubtful, but for zeros.

    As a multiple: forward mode has no part of what stands in a cotangent's place.
    """
    return g * np.where(doubtful & (g != 0), np.nan, 1.0)


def vectors_of_any_back(g, out, are_phases_known=True):
    (of_values, of_vectors), (values, vectors) = g, out
    left = np.linalg.inv(vectors)
    doubtful = is_doubtful(left)
    any_doubtful = scalars(np.any(doubtful, axis=-1))
    of_values = unknown_where(doubtful, of_values)
    of_vectors = unknown_where(any_doubtful, of_vectors)
    is_fixed = are_phases_known and is_complex(vectors)
    fixed = largest(vectors) if is_fixed else None
    of_vectors = of_unit_vectors(of_vectors, vectors, fixed)
    back = adjoint(vectors)
    inner = over_gaps(back @ of_vectors, conj(values))
    return adjoint(left) @ (inner @ back + rows(of_values) * back)


def eig_back(g, out):
    return vectors_of_any_back(g, out)


def largest(vectors):
    """One for the largest element of each vector, which LAPACK makes a real number."""
    size = np.where(np.imag(vectors) == 0, np.abs(vectors), -1.0)
    place = np.argmax(size, axis=-2, keepdims=True)
    return np.where(place == rows(np.arange(vectors.shape[-1])), 1.0, 0.0)


def eigenvalues_of_any_back(g, a, out):
    # Of the kind of what was found before: a trace of a rule looks at no values.
    is_other = is_complex(out) and not is_complex(a)
    values, vectors = np.linalg.eig(a + 0.0j if is_other else a)
    vectors = in_order_of(out, values, vectors)
    left = np.linalg.inv(vectors)
    g = unknown_where(is_doubtful(left), g)
    return adjoint(left) @ (rows(g) * adjoint(vectors))


def in_order_of(out, values, vectors):
    """The vectors of eigenvalues that LAPACK has found without them.

    Of large matrices it then finds them in another order.
    """
    distance = np.abs(rows(out) - columns(values))
    size = np.max(np.abs(values), axis=-1, keepdims=True, initial=0.0)
    noise = np.sqrt(np.finfo(size.dtype).eps) * rows(size)
    distance = distance + noise * (1.0 - identity_like(distance))
    place = np.argsort(distance, axis=-1)[..., :1]
    return np.take_along_axis(vectors, np.swapaxes(place, -1, -2), axis=-1)


def eigh_forth(out):
    """Of real matrices: of others it depends on what is made of the vectors' phases."""
    if is_complex(out[1]):
        return None

    def forth(t):
        values, vectors = out
        inner = adjoint(vectors) @ symmetric(t) @ vectors
        return of_diagonal(inner), vectors @ over_gaps(inner, values, False)

    return forth


def eig_forth(out):
    """Of matrices with real eigenvalues."""
    if is_complex(out[1]):
        return None

    def forth(t):
        values, vectors = out
        left = np.linalg.inv(vectors)
        doubtful = is_doubtful(left)
        inner = left @ t @ vectors
        turned = vectors @ over_gaps(inner, values, False)
        along = np.sum(vectors * turned, axis=-2, keepdims=True)
        known = scalars(np.where(np.any(doubtful, axis=-1), np.nan, 1.0))
        of_values = of_diagonal(inner) * np.where(doubtful, np.nan, 1.0)
        return of_values, (turned - vectors * along) * known

    return forth


def of_diagonal(inner):
    return np.diagonal(inner, 0, -2, -1)


defvjp(np.linalg.eigh, a=eigh_back)
defjvp(np.linalg.eigh, a=eigh_forth)
defvjp(np.linalg.eigvalsh, a=eigenvalues_back)
defvjp(np.linalg.eig, a=eig_back)
defjvp(np.linalg.eig, a=eig_forth)
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
    inner = over_gaps(skew_u + skew_v, s, none)
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
    size = np.max(np.abs(of_q), axis=(-2, -1), keepdims=True, initial=0.0)
    unknown = undetermined(skew(turn), np.sqrt(np.finfo(size.dtype).eps) * size)
    return of_first + np.sum(unknown, axis=(-2, -1), keepdims=True)


def undetermined(x, noise):
    """nan where something is not 0 that is, in what is differentiable; 0 elsewhere.

    As a multiple: forward mode has no part of what is merely added to a cotangent.
    """
    return np.real(x * np.where(np.abs(x) <= noise, 0.0, np.nan))


def svdvals(x, /):
    return np.linalg.svd(x, compute_uv=False)


def svd_forth(a, a_shape, out, full_matrices, compute_uv, hermitian):
    """Of real matrices; of square ones only if all vectors are wanted."""
    if not compute_uv or hermitian or is_complex(a):
        return None
    is_square = a_shape[-2] == a_shape[-1]
    return decomposed_forth(out) if is_square or not full_matrices else None


def decomposed_forth(out):
    def forth(t):
        u, s, vh = out
        v, m, n, k = adjoint(vh), u.shape[-2], vh.shape[-1], s.shape[-1]
        inner = adjoint(u) @ t @ v
        even = over_gaps(inner + adjoint(inner), s, False)
        odd = (inner - adjoint(inner)) / nonzero(columns(s) + rows(s))
        of_u, of_v = u @ ((even + odd) * 0.5), v @ ((even - odd) * 0.5)
        if m > k:
            of_u = of_u + (t @ v - u @ inner) / columns(s)
        if n > k:
            of_v = of_v + (adjoint(t) @ u - v @ adjoint(inner)) / columns(s)
        return of_u, of_diagonal(inner), adjoint(of_v)

    return forth


defvjp(np.linalg.svd, a=svd_back)
defjvp(np.linalg.svd, a=svd_forth)
defined_as(np.linalg.svdvals, svdvals)
