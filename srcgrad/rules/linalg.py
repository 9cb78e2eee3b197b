"""Rules for ``np.linalg``: solving, inverses, least squares."""

import math

import numpy as np

from srcgrad.rules.complexes import adjoint, conj
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.matrices import columns, rows, symmetric
from srcgrad.rules.registry import defjvp, defvjp

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


def pinv_back(g, a, out, hermitian):
    of_a = pseudo_inverted_back(g, a, out)
    return symmetric(of_a) if hermitian else of_a


def pseudo_inverted_back(g, a, out):
    """Golub and Pereyra's formula, which holds as long as the rank stays the same."""
    p, g = adjoint(out), adjoint(g)
    left, right = g @ out @ p, p @ out @ g
    within = p @ adjoint(g) @ p
    return left - a @ (out @ left) + right - (right @ out) @ a - within


def pinv_forth(a, out, hermitian):
    return lambda t: pseudo_inverted_forth(symmetric(t) if hermitian else t, a, out)


def pseudo_inverted_forth(t, a, out):
    back, adjoint_t = adjoint(out), adjoint(t)
    left = out @ back @ (adjoint_t - adjoint_t @ a @ out)
    right = (adjoint_t - out @ a @ adjoint_t) @ back @ out
    return left + right - out @ t @ out


defvjp(np.linalg.inv, a=inverted_back)
defvjp(np.linalg.pinv, a=pinv_back)
defjvp(np.linalg.pinv, a=pinv_forth)
defvjp(np.linalg.solve, a=solve_left, b=solve_right)


# ----- Least squares -----
def as_columns(x, b_shape):
    """The right sides and solutions of ``lstsq`` as columns of matrices."""
    return rows(x) if len(b_shape) == 1 else x


def inverse_for(a, rcond):
    """The pseudo-inverse that ``lstsq`` solves with."""
    rcond = np.finfo(a.dtype).eps if rcond is not None and rcond < 0 else rcond
    return np.linalg.pinv(a, rtol=rcond)


def residual_back(g, a, b, x):
    """The cotangent of ``b - a @ x`` from that of the sums of its squares."""
    return 2.0 * (b - a @ x) * g if g.size else 0.0


def least_squares_left(g, a, b, b_shape, out, rcond):
    (of_x, of_sums, _, of_s), x = g, as_columns(out[0], b_shape)
    of_x, b = as_columns(of_x, b_shape), as_columns(b, b_shape)
    inverse = inverse_for(a, rcond)
    back = adjoint(inverse)
    of_b = back @ of_x
    outside = of_x - inverse @ (a @ of_x)
    of_a = (b - a @ x) @ adjoint(inverse @ of_b) + (back @ x) @ adjoint(outside)
    of_a = of_a - (of_b + residual_back(of_sums, a, b, x)) @ adjoint(x)
    u, _, vh = np.linalg.svd(a, full_matrices=False)
    return of_a + (u * columns(of_s)) @ vh


def least_squares_right(g, a, b, b_shape, out, rcond):
    (of_x, of_sums, *_), x = g, as_columns(out[0], b_shape)
    of_b = adjoint(inverse_for(a, rcond)) @ as_columns(of_x, b_shape)
    of_b = of_b + residual_back(of_sums, a, as_columns(b, b_shape), x)
    return np.reshape(of_b, b_shape)


def least_squares_left_forth(a, b, out, rcond):
    x, sums = out[:2]

    def forth(t):
        inverse, rest, back = inverse_for(a, rcond), b - a @ x, adjoint(t)
        beyond = back @ (adjoint(inverse) @ x)
        of_x = inverse @ (adjoint(inverse) @ (back @ rest) - t @ x)
        of_x = of_x + beyond - inverse @ (a @ beyond)
        u, _, vh = np.linalg.svd(a, full_matrices=False)
        of_s = np.sum(np.real(conj(u) * (t @ adjoint(vh))), axis=0)
        return of_x, of_squares(rest, -t @ x, sums), None, of_s

    return forth


def least_squares_right_forth(a, b, out, rcond):
    x, sums = out[:2]

    def forth(t):
        of_sums = of_squares(b - a @ x, t, sums)
        return inverse_for(a, rcond) @ t, of_sums, None, None

    return forth


def of_squares(rest, t, sums):
    """The tangent of the sums of squares, if ``lstsq`` gives them."""
    if not sums.size:
        return None
    return np.reshape(2.0 * np.sum(np.real(conj(rest) * t), axis=0), sums.shape)


defvjp(np.linalg.lstsq, a=least_squares_left, b=least_squares_right)
defjvp(np.linalg.lstsq, a=least_squares_left_forth, b=least_squares_right_forth)

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
