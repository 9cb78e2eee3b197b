"""Rules for ``scipy.linalg``: inverses, linear systems, matrix equations.

SciPy may read a part of a matrix only (``assume_a="sym"``, ``lower``). Where that is a
triangle of a symmetric matrix, the gradient is symmetric, as if both were read.
"""

import numpy as np
from scipy import linalg

from srcgrad.rules.complexes import adjoint, conj, is_complex
from srcgrad.rules.compositions import defined_as, defined_by
from srcgrad.rules.libraries import reaching
from srcgrad.rules.linalg import (
    inverted_back,
    pseudo_inverted_back,
    pseudo_inverted_forth,
    solved_vectors,
)
from srcgrad.rules.matrices import columns, rows, symmetric, transposed
from srcgrad.rules.registry import PRIMITIVES, defjvp, defvjp, defvjps


def outer(x, y, vectors):
    """``x @ adjoint(y)``, of columns or of vectors."""
    return rows(x) * columns(conj(y)) if vectors else x @ adjoint(y)


# ----- Which part of a matrix is read -----
def mirrored(a, lower, hermitian):
    """The symmetric (Hermitian) matrix of which one triangle is read."""
    half = np.tril(a, -1) if lower else np.triu(a, 1)
    other = adjoint(half) if hermitian else transposed(half)
    diagonal = np.tril(np.triu(a))
    return half + (np.real(diagonal) if hermitian else diagonal) + other


BANDS = {
    "diagonal": (0, 0),
    "tridiagonal": (-1, 1),
    "upper triangular": (0, None),
    "lower triangular": (None, 0),
}
SYMMETRIC = ("sym", "symmetric")
HERMITIAN = ("her", "hermitian", "pos", "positive definite")


def banded(x, below, above):
    """What lies between two diagonals, which are counted as NumPy does."""
    x = x if below is None else np.triu(x, below)
    return x if above is None else np.tril(x, above)


def read_of(a, assume_a, lower):
    """The matrix that SciPy takes ``a`` for."""
    if assume_a in SYMMETRIC or assume_a in HERMITIAN:
        return mirrored(a, lower, assume_a in HERMITIAN)
    return banded(a, *BANDS[assume_a]) if assume_a in BANDS else a


def part_of(g, assume_a):
    """The gradient in ``a``, given that in the matrix that it is taken for."""
    if assume_a in HERMITIAN:
        return symmetric(g)
    if assume_a in SYMMETRIC:
        return 0.5 * (g + transposed(g))
    return banded(g, *BANDS[assume_a]) if assume_a in BANDS else g


# ----- Inverses, determinants -----
defvjp(linalg.inv, a=lambda g, out, assume_a: part_of(inverted_back(g, out), assume_a))
defvjp(linalg.det, a=PRIMITIVES[np.linalg.det].rules["a"].vjp)


def pinv_back(g, a, out, return_rank):
    if return_rank:
        g, out = g[0], out[0]
    return pseudo_inverted_back(g, a, out)


def pinvh_back(g, a, out, lower, return_rank):
    return symmetric(pinv_back(g, mirrored(a, lower, True), out, return_rank))


def pinv_forth(a, out, return_rank):
    if return_rank:
        return lambda t: (pseudo_inverted_forth(t, a, out[0]), None)
    return lambda t: pseudo_inverted_forth(t, a, out)


defvjp(linalg.pinv, a=pinv_back)
defjvp(linalg.pinv, a=pinv_forth)
defvjp(linalg.pinvh, a=pinvh_back)


# ----- Linear systems -----
def solve_right(g, a, b_shape, lower, assume_a, transposed):
    matrix = read_of(a, assume_a, lower)
    return solved_vectors(matrix if transposed else adjoint(matrix), b_shape, g)


def solve_left(g, a, b_shape, out, lower, assume_a, transposed):
    of_b = solve_right(g, a, b_shape, lower, assume_a, transposed)
    vectors = len(b_shape) == 1
    of_a = outer(out, of_b, vectors) if transposed else outer(of_b, out, vectors)
    return -part_of(of_a, assume_a)


defvjp(linalg.solve, a=solve_left, b=solve_right)

triangular = reaching(linalg.solve_triangular)
PLAIN, TRANSPOSED = (0, "N"), (1, "T")  # the rest, 2 and "C", is the adjoint


def triangular_right(g, a, b_shape, trans, lower, unit_diagonal):
    """Solve with the adjoint of what was solved with."""
    vectors = len(b_shape) == 1 and g.ndim > 1  # many, for a stack of matrices
    g = rows(g) if vectors else g
    if trans in PLAIN:
        out = triangular(a, g, 2, lower, unit_diagonal)
    elif trans in TRANSPOSED:
        out = conj(triangular(a, conj(g), 0, lower, unit_diagonal))
    else:
        out = triangular(a, g, 0, lower, unit_diagonal)
    return out[..., 0] if vectors else out


def triangular_left(g, a, b_shape, out, trans, lower, unit_diagonal):
    of_b = triangular_right(g, a, b_shape, trans, lower, unit_diagonal)
    of_a = outer(of_b, out, len(b_shape) == 1)
    if trans not in PLAIN:
        of_a = transposed(of_a) if trans in TRANSPOSED else adjoint(of_a)
    start = 1 if unit_diagonal else 0
    return -np.tril(of_a, -start) if lower else -np.triu(of_a, start)


defvjp(linalg.solve_triangular, a=triangular_left, b=triangular_right)


def cho_solve(c_and_lower, b):
    """``scipy.linalg.cho_solve``: by the factor, then by its adjoint."""
    c, lower = c_and_lower
    first, second = (0, 2) if lower else (2, 0)
    return triangular(c, triangular(c, b, first, lower), second, lower)


defined_by(linalg.cho_solve, cho_solve)

lu_solve = reaching(linalg.lu_solve)


def lu_solve_right(g, lu_and_piv, trans):
    """Solve with the adjoint of what was solved with; LAPACK counts 0, 1, 2."""
    if trans == 1:
        return conj(lu_solve(lu_and_piv, conj(g), 0))
    return lu_solve(lu_and_piv, g, 2 - trans)


def lu_solve_left(g, lu_and_piv, b, trans):
    """In the factors as they lie in one matrix; the pivots carry no gradient.

    ``M``, the product of the factors, solves for ``b`` in another order, or for the
    result in another order, and neither order need be known.
    """
    lu, _ = lu_and_piv
    unit = np.eye(lu.shape[-1], dtype=np.result_type(lu, g))
    lower, upper = np.tril(lu, -1) + unit, np.triu(lu)
    product = lower @ upper
    if trans == 0:
        right, left = (
            lu_solve(lu_and_piv, b),
            solved_vectors(adjoint(product), b.shape, g),
        )
    else:
        turned = transposed(product) if trans == 1 else adjoint(product)
        of_b = lu_solve_right(g, lu_and_piv, trans)
        right, left = solved_vectors(turned, b.shape, b), of_b
    of_product = -outer(left, right, b.ndim == 1)
    if trans:
        of_product = transposed(of_product) if trans == 1 else adjoint(of_product)
    of_lower, of_upper = of_product @ adjoint(upper), adjoint(lower) @ of_product
    return [np.tril(of_lower, -1) + np.triu(of_upper), None]


defvjp(linalg.lu_solve, lu_and_piv=lu_solve_left, b=lu_solve_right)


def lstsq(a, b, cond, lapack_driver):
    """``scipy.linalg.lstsq``, by the pseudo-inverse."""
    m, n = np.shape(a)
    inverse = pinv(a) if cond is None else pinv(a, atol=0.0, rtol=cond)
    x = inverse @ b
    s = np.linalg.svd(a, compute_uv=False)
    cond = np.finfo(s.dtype).eps if cond is None else cond
    rank = int(np.sum(s > cond * s[..., 0]))
    rest = b - a @ x
    residues = np.sum(np.real(rest * conj(rest)), axis=0)
    return x, residues if rank == n < m else np.zeros(0, s.dtype), rank, s


pinv = reaching(linalg.pinv)
defined_by(linalg.lstsq, lstsq)

# ----- Banded and Toeplitz systems -----


def adjoint_bands(ab, below, above):
    """The bands of the adjoint, which has as many above as this one below."""
    return np.stack(
        [shifted(conj(ab[above - k]), -k) for k in range(-below, above + 1)]
    )


def shifted(x, k):
    """Move along the last axis to the right (``k > 0``), and fill up with zeros."""
    if k == 0:
        return x
    fill = np.zeros((*x.shape[:-1], min(abs(k), x.shape[-1])), x.dtype)
    if k > 0:
        return np.concatenate([fill, x[..., :-k]], axis=-1)
    return np.concatenate([x[..., -k:], fill], axis=-1)


def banded_right(g, l_and_u, ab):
    below, above = l_and_u
    return solve_banded((above, below), adjoint_bands(ab, below, above), g)


def banded_left(g, l_and_u, ab, out):
    below, above = l_and_u
    of_b = banded_right(g, l_and_u, ab)
    x = conj(out)
    if x.ndim == 1:
        of_b, x = of_b[:, None], x[:, None]
    of_b, x = of_b.T, x.T
    bands = [
        -np.sum(shifted(of_b, k) * x, axis=0) for k in range(above, -below - 1, -1)
    ]
    return np.stack(bands)


solve_banded = reaching(linalg.solve_banded)
defvjp(linalg.solve_banded, ab=banded_left, b=banded_right)

# ----- Matrix equations -----
sylvester_of = reaching(linalg.solve_sylvester)


def sylvester(a, b, q):
    """Solve with all three complex if one is: SciPy's own gets a mixture wrong."""
    if is_complex(a) or is_complex(b) or is_complex(q):
        a, b, q = (x if is_complex(x) else x + 0j for x in (a, b, q))
    return sylvester_of(a, b, q)


def sylvester_right(g, a, b):
    return sylvester(adjoint(a), adjoint(b), g)


defvjp(
    linalg.solve_sylvester,
    a=lambda g, a, b, out: -sylvester_right(g, a, b) @ adjoint(out),
    b=lambda g, a, b, out: -adjoint(out) @ sylvester_right(g, a, b),
    q=sylvester_right,
)
defined_as(linalg.solve_continuous_lyapunov, lambda a, q: sylvester(a, adjoint(a), q))
discrete_lyapunov = reaching(linalg.solve_discrete_lyapunov)


def discrete_lyapunov_left(g, a, out, method):
    of_q = discrete_lyapunov(adjoint(a), g, method)
    return of_q @ a @ adjoint(out) + adjoint(of_q) @ a @ out


defvjp(
    linalg.solve_discrete_lyapunov,
    a=discrete_lyapunov_left,
    q=lambda g, a, method: discrete_lyapunov(adjoint(a), g, method),
)


# What the residual of a Riccati equation is worth, the gain, and what it is ahead.
def continuous_multiplier(g, a, b, r, out):
    gain = np.linalg.solve(r, adjoint(b) @ out)
    closed = a - b @ gain
    return sylvester(closed, adjoint(closed), -symmetric(g)), gain, out


def discrete_multiplier(g, a, b, r, out):
    """The same of the equation in steps of time."""
    back = adjoint(b) @ out
    gain = np.linalg.solve(r + back @ b, back @ a)
    closed = a - b @ gain
    return discrete_lyapunov(closed, symmetric(g)), gain, out @ closed


def riccati_back(name, multiplier_of):
    def back(g, a, b, r, e, s, out):
        if e is not None or s is not None:
            raise NotImplementedError(
                f"srcgrad has a derivative of scipy.linalg.{name} without `e` and `s` "
                "only"
            )
        multiplier, gain, ahead = multiplier_of(g, a, b, r, out)
        of_a = ahead @ (multiplier + adjoint(multiplier))
        of_r = gain @ multiplier @ adjoint(gain)
        return of_a, -of_a @ adjoint(gain), multiplier, of_r

    return back


for _name, _multiplier_of in (
    ("solve_continuous_are", continuous_multiplier),
    ("solve_discrete_are", discrete_multiplier),
):
    _back = riccati_back(_name, _multiplier_of)
    defvjps(getattr(linalg, _name), _back, "a", "b", "q", "r")
