"""Rules for ``np.linalg``: solving, determinants, factorisations, norms.

Factorisations of symmetric (Hermitian) matrices read one triangle, and their gradients
are symmetric, as if both were read.
"""

import math

import numpy as np

from srcgrad.rules.broadcasting import expand_reduced, reduced_axes
from srcgrad.rules.complexes import adjoint, conj, is_complex
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.registry import defconstant, defvjp


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


# ----- Solving -----


def solved_vectors(a, b_shape, b):
    """Solve for a right side of the same form as ``np.linalg.solve``'s."""
    if len(b_shape) == 1 and b.ndim > 1:  # NumPy 2 would take many vectors for a matrix
        return np.linalg.solve(a, rows(b))[..., 0]
    return np.linalg.solve(a, b)


def solve_left(g, a, b_shape, out):
    g = solved_vectors(adjoint(a), b_shape, g)
    if len(b_shape) == 1:
        return -rows(g) * columns(conj(out))
    return -(g @ adjoint(out))


def solve_right(g, a, b_shape):
    return solved_vectors(adjoint(a), b_shape, g)


def inverted_back(g, out):
    inverse = adjoint(out)
    return -(inverse @ g @ inverse)


def pseudo_inverted_back(g, a, out):
    """Golub and Pereyra's formula, which holds as long as the rank stays the same."""
    p, g = adjoint(out), adjoint(g)
    left, right = g @ out @ p, p @ out @ g
    within = p @ adjoint(g) @ p
    return left - a @ (out @ left) + right - (right @ out) @ a - within


defvjp(np.linalg.inv, a=inverted_back)
defvjp(np.linalg.pinv, a=pseudo_inverted_back)
defvjp(np.linalg.solve, a=solve_left, b=solve_right)

# ----- Determinants -----


def log_determinant_back(g, a, out):
    of_sign, of_log = g
    if is_complex(a):
        sign, _ = out
        of_log = of_log - 1j * np.imag(np.conjugate(of_sign) * sign)
    return scalars(of_log) * adjoint(np.linalg.inv(a))


defvjp(
    np.linalg.det,
    a=lambda g, a, out: scalars(g * conj(out)) * adjoint(np.linalg.inv(a)),
)
defvjp(np.linalg.slogdet, a=log_determinant_back)
defconstant(np.linalg.matrix_rank)

# ----- Factorisations -----


def symmetric(x):
    return (x + adjoint(x)) * 0.5


def skew(x):
    return x - adjoint(x)


def over_gaps(x, values):
    """Divide element (i, j) by ``values[j] - values[i]``.

    Vectors of equal values have no derivative. What does not depend on the choice among
    them has a zero here, up to rounding, so zero it is.
    """
    gaps = columns(values) - rows(values)
    equal = gaps == 0
    return np.where(equal, 0.0, x) / np.where(equal, 1.0, gaps)


def cholesky_back(g, out, upper):
    lower, g = (adjoint(out), adjoint(g)) if upper else (out, g)
    # The lower triangle with half of the diagonal.
    half = adjoint(lower) @ g
    half = (np.tril(half) + np.tril(half, -1)) * 0.5
    left = np.linalg.solve(adjoint(lower), half)
    return symmetric(adjoint(np.linalg.solve(adjoint(lower), adjoint(left))))


def qr_back(g, out, a_shape, mode):
    square = a_shape[-2] == a_shape[-1]
    if a_shape[-2] < a_shape[-1] or not (
        mode == "reduced" or (square and mode == "complete")
    ):
        raise NotImplementedError(
            "srcgrad has a derivative of np.linalg.qr for mode='reduced' and matrices "
            f"that are not wider than high, not for mode={mode!r} and shape {a_shape}"
        )
    (of_q, of_r), (q, r) = g, out
    inner = r @ adjoint(of_r) - adjoint(of_q) @ q
    below = np.tril(inner, -1)
    both = below + adjoint(below) + np.triu(np.tril(np.real(inner)))
    return adjoint(np.linalg.solve(r, adjoint(of_q + q @ both)))


def eigh_back(g, out):
    (of_values, of_vectors), (values, vectors) = g, out
    back = adjoint(vectors)
    inner = over_gaps(back @ of_vectors, values)
    return symmetric(vectors @ (inner @ back + rows(of_values) * back))


def eigenvalues_back(g, a, UPLO):
    _, vectors = np.linalg.eigh(a, UPLO)
    return (vectors * columns(g)) @ adjoint(vectors)


def svd_back(g, a, a_shape, out, full_matrices, compute_uv, hermitian):
    m, n = a_shape[-2:]
    if not compute_uv:
        u, _, vh = np.linalg.svd(a, full_matrices=False, hermitian=hermitian)
        return (u * columns(g)) @ vh
    if full_matrices and m != n:
        raise NotImplementedError(
            "srcgrad has no derivative of np.linalg.svd with full_matrices=True for "
            f"matrices that are not square ({m}x{n}): pass full_matrices=False"
        )
    of_a = decomposed_back(g, out, m, n)
    return symmetric(of_a) if hermitian else of_a


def decomposed_back(g, out, m, n):
    (of_u, of_s, of_vh), (u, s, vh) = g, out
    skew_u, skew_v = skew(adjoint(u) @ of_u), skew(vh @ adjoint(of_vh))
    inner = over_gaps(skew_u * columns(s) + rows(s) * skew_v, s * s)
    if is_complex(u):
        of_s = of_s + np.diagonal(skew_u, 0, -2, -1) / (2.0 * nonzero(s))
    of_a = u @ (inner @ vh + rows(of_s) * vh)
    if m > n:
        beyond = of_u / columns(nonzero(s))
        of_a = of_a + (beyond - u @ (adjoint(u) @ beyond)) @ vh
    if n > m:
        beyond = of_vh / rows(nonzero(s))
        of_a = of_a + u @ (beyond - (beyond @ adjoint(vh)) @ vh)
    return of_a


def svdvals(x, /):
    return np.linalg.svd(x, compute_uv=False)


defvjp(np.linalg.cholesky, a=cholesky_back)
defvjp(np.linalg.qr, a=qr_back)
defvjp(np.linalg.eigh, a=eigh_back)
defvjp(np.linalg.eigvalsh, a=eigenvalues_back)
defvjp(np.linalg.svd, a=svd_back)
defined_as(np.linalg.svdvals, svdvals)

# ----- Norms -----


def sign(x):
    """``np.sign``, in a form that has the right derivative for complex numbers."""
    return x / nonzero(np.abs(x)) if is_complex(x) else np.sign(x)


def vector_norm_back(g, x, out, ord, axes):
    """The gradient of a norm of vectors; g and out keep the axes. At zero it is 0."""
    if ord is None or ord == 2:
        return x * (g / nonzero(out))
    if ord == 0:
        return np.zeros_like(x)
    if ord == 1:
        return g * sign(x)
    size = np.abs(x)
    if math.isinf(ord):
        return g * sign(x) * share_of_extreme(size, ord, axes)
    slope = g * sign(x) * (nonzero(size) / nonzero(out)) ** (ord - 1)
    return slope if ord > 0 else slope * (out != 0)


def share_of_extreme(size, ord, axes):
    """One for the largest (smallest if ord is negative), shared where several are."""
    extreme = np.max if ord > 0 else np.min
    hits = size == extreme(size, axis=axes, keepdims=True)
    return hits / np.sum(hits, axis=axes, keepdims=True)


def matrix_norm_back(g, x, out, ord, axes):
    by_name = isinstance(ord, str)
    if ord is None or (by_name and ord != "nuc"):
        return x * (g / nonzero(out))
    if by_name or abs(ord) == 2:
        ends = (-2, -1)
        slope = slope_of_singular_values(np.moveaxis(x, axes, ends), ord)
        return g * np.moveaxis(slope, ends, axes)
    summed, compared = axes if abs(ord) == 1 else axes[::-1]
    sums = np.sum(np.abs(x), axis=summed, keepdims=True)
    return g * sign(x) * share_of_extreme(sums, ord, compared)


def slope_of_singular_values(x, ord):
    """The slope of the largest (2), the smallest (-2), or the sum of them all."""
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    # As with abs, a singular value that is zero up to rounding has the slope 0.
    rounding = np.finfo(s.dtype).eps * max(x.shape[-2:])
    u = u * columns(s > rounding * s[..., :1])
    if isinstance(ord, str):
        return u @ vh
    one = slice(0, 1) if ord > 0 else slice(-1, None)
    return u[..., one] @ vh[..., one, :]


def norm_back(g, x, x_shape, out, ord, axis, keepdims):
    axes = reduced_axes(len(x_shape), axis)
    g, out = (expand_reduced(each, x_shape, axis, keepdims) for each in (g, out))
    if len(axes) == 2 and not (ord is None and axis is None):
        return matrix_norm_back(g, x, out, ord, axes)
    return vector_norm_back(g, x, out, ord, axes)


def norm_of_vectors_back(g, x, x_shape, out, ord, axis, keepdims):
    axes = reduced_axes(len(x_shape), axis)
    g, out = (expand_reduced(each, x_shape, axis, keepdims) for each in (g, out))
    return vector_norm_back(g, x, out, ord, axes)


def norm_of_matrices_back(g, x, x_shape, out, ord, keepdims):
    return norm_back(g, x, x_shape, out, ord, (-2, -1), keepdims)


defvjp(np.linalg.norm, x=norm_back)
defvjp(np.linalg.vector_norm, x=norm_of_vectors_back)
defvjp(np.linalg.matrix_norm, x=norm_of_matrices_back)

# ----- Tensors as matrices -----


def tensorinv(a, ind=2):
    """``np.linalg.tensorinv``: the inverse for ``np.tensordot`` over ``ind`` axes."""
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    shape = np.shape(a)
    rest = math.prod(shape[ind:])
    inverse = np.linalg.inv(np.reshape(a, (math.prod(shape[:ind]), rest)))
    return np.reshape(inverse, (*shape[ind:], *shape[:ind]))


def tensorsolve(a, b, axes=None):
    """``np.linalg.tensorsolve``: solve ``np.tensordot(a, x, x.ndim) == b``."""
    ndim = np.ndim(a)
    if axes is not None:
        rest = [axis for axis in range(ndim) if axis not in axes]
        a = np.transpose(a, (*rest, *axes))
    shape = np.shape(a)[np.ndim(b) :]
    size = math.prod(shape)
    solution = np.linalg.solve(np.reshape(a, (-1, size)), np.reshape(b, -1))
    return np.reshape(solution, shape)


defined_as(np.linalg.tensorinv, tensorinv)
defined_as(np.linalg.tensorsolve, tensorsolve)
