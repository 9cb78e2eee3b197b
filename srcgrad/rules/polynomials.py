"""Compositions: NumPy's functions of polynomials, given by coefficients or roots.

As in NumPy, the coefficient of the highest power comes first.
"""

import warnings

import numpy as np

from srcgrad.rules.compositions import as_array, defined_as


def without_leading_zeros(p):
    """The coefficients from the first that is not zero on, and at least one."""
    p = np.atleast_1d(p)
    places = np.flatnonzero(p)
    return p[int(places[0]) :] if places.size else p[:1] * 0


def with_length(p):
    """Coefficients; a number has none, as NumPy says."""
    if np.ndim(p) == 0:
        raise TypeError("a number is no array of coefficients")
    return as_array(p)


# ----- Values, sums, products -----
def polyval(p, x):
    x = np.asarray(x) if isinstance(x, (list, tuple)) else x
    value = np.zeros_like(x)
    for coefficient in with_length(p):
        value = value * x + coefficient
    return value


def of_one_length(a1, a2):
    """Fill up the shorter of two polynomials with leading zeros."""
    a1, a2 = np.atleast_1d(a1), np.atleast_1d(a2)
    n = max(len(a1), len(a2))
    return (
        np.concatenate((np.zeros(n - len(a), a.dtype), a)) if len(a) < n else a
        for a in (a1, a2)
    )


def polyadd(a1, a2):
    a1, a2 = of_one_length(a1, a2)
    return a1 + a2


def polysub(a1, a2):
    a1, a2 = of_one_length(a1, a2)
    return a1 - a2


def polymul(a1, a2):
    length = len(without_leading_zeros(a1)) + len(without_leading_zeros(a2)) - 1
    product = np.convolve(np.atleast_1d(a1), np.atleast_1d(a2))
    return product[len(product) - length :]  # also the zeros have slopes


def polydiv(u, v):
    u, v = np.atleast_1d(u) + 0.0, np.atleast_1d(v) + 0.0
    n = len(v)
    scale = 1.0 / v[0]
    quotient, rest = [], u.astype(np.result_type(u, v))
    for k in range(len(u) - n + 1):
        # A NumPy scalar on the left is a ufunc's operand, which rounds otherwise.
        is_number = isinstance(scale, np.generic)
        quotient.append(rest[k] * scale if is_number else scale * rest[k])
        less = rest[k : k + n] - quotient[k] * v
        rest = np.concatenate((rest[:k], less, rest[k + n :]))
    while len(rest) > 1 and bool(np.allclose(rest[0], 0, rtol=1e-14)):
        rest = rest[1:]
    return np.stack(quotient) if quotient else rest[:1] * 0, rest


defined_as(np.polyval, polyval)
defined_as(np.polyadd, polyadd)
defined_as(np.polysub, polysub)
defined_as(np.polymul, polymul)
defined_as(np.polydiv, polydiv)


# ----- Derivatives and integrals -----
def polyder(p, m=1):
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    p = p if m == 0 else with_length(p)
    for _ in range(m):
        p = p[:-1] * np.arange(len(p) - 1, 0, -1)
    return p


def polyint(p, m=1, k=None):
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    if m == 0:
        return p
    p = with_length(p)
    constants = np.zeros(m) if k is None else np.atleast_1d(k)
    if len(constants) == 1 and m > 1:
        constants = constants[0] * np.ones(m)
    if len(constants) < m:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    for i in range(m):
        powers = p / np.arange(len(p), 0, -1)
        p = np.concatenate((powers, constants[i : i + 1]))
    return p


defined_as(np.polyder, polyder)
defined_as(np.polyint, polyint)


# ----- Roots -----
def poly(seq_of_zeros):
    zeros = np.atleast_1d(seq_of_zeros)
    if zeros.ndim == 2 and zeros.shape[0] == zeros.shape[1] != 0:
        zeros = np.linalg.eigvals(zeros)
    elif zeros.ndim != 1:
        raise ValueError("input must be 1d or non-empty square 2d array.")
    if len(zeros) == 0:
        return 1.0
    one = np.ones(1, zeros.dtype)
    coefficients = one
    for i in range(len(zeros)):
        factor = np.concatenate((one, -zeros[i : i + 1]))
        coefficients = np.convolve(coefficients, factor)
    if np.iscomplexobj(coefficients):
        in_order, conjugates = np.sort(zeros), np.sort(np.conjugate(zeros))
        if bool(np.all(in_order == conjugates)):
            return np.real(coefficients)
    return coefficients


def roots(p):
    p = np.atleast_1d(p)
    if p.ndim != 1:
        raise ValueError("Input must be a rank-1 array.")
    places = np.flatnonzero(p)
    if not places.size:
        return p[:0]
    first, last = int(places[0]), int(places[-1])
    at_zero, p = np.zeros(len(p) - last - 1), p[first : last + 1]
    n = len(p) - 1
    if not n:
        return np.concatenate((p[:0], at_zero))
    # The eigenvalues of the companion matrix.
    companion = np.concatenate((-p[None, 1:] / p[0], np.eye(n - 1, n, dtype=p.dtype)))
    found = np.linalg.eigvals(companion)
    return np.concatenate((found, at_zero)) if len(at_zero) else found


defined_as(np.poly, poly)
defined_as(np.roots, roots)


# ----- Fits -----
def vander(x, N=None, increasing=False):
    x = as_array(x)
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    x = x.astype(np.promote_types(x.dtype, int))
    columns = [np.ones_like(x)]
    for _ in range(len(x) - 1 if N is None else N - 1):
        columns.append(columns[-1] * x)
    columns = columns[: len(x) if N is None else N]
    if not columns:
        return np.reshape(x[:0], (len(x), 0))
    return np.stack(columns if increasing else columns[::-1], axis=1)


def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    x, y, order = np.atleast_1d(x) + 0.0, np.atleast_1d(y) + 0.0, int(deg) + 1
    w = None if w is None else np.atleast_1d(w) + 0.0
    check_fit(x, y, deg, w)
    if rcond is None:
        rcond = len(x) * np.finfo(x.dtype).eps
    powers = np.vander(x, order)
    if w is not None:
        powers = powers * w[:, None]
        y = y * (w[:, None] if y.ndim == 2 else w)
    scale = np.sqrt(np.sum(powers * powers, axis=0))
    powers = powers / scale
    c, sums, rank, s = np.linalg.lstsq(powers, y, rcond)
    c = c / (scale[:, None] if y.ndim == 2 else scale)
    if full:
        return c, sums, rank, s, rcond
    if bool(rank != order):
        message = "Polyfit may be poorly conditioned"
        warnings.warn(message, np.exceptions.RankWarning, stacklevel=2)
    if not cov:
        return c
    spread = np.linalg.inv(powers.T @ powers) / np.outer(scale, scale)
    if cov != "unscaled":
        if len(x) <= order:
            raise ValueError(
                "the number of data points must exceed order to scale the covariance "
                "matrix"
            )
        spread = (spread if y.ndim == 1 else spread[:, :, None]) * (
            sums / (len(x) - order)
        )
    elif y.ndim == 2:
        spread = spread[:, :, None]
    return c, spread


def check_fit(x, y, deg, w):
    """Raise NumPy's errors for arguments that do not fit each other."""
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")
    if y.ndim > 2:
        raise TypeError("expected 1D or 2D array for y")
    if x.shape[0] != y.shape[0]:
        raise TypeError("expected x and y to have same length")
    if w is not None and w.ndim != 1:
        raise TypeError("expected a 1-d array for weights")
    if w is not None and w.shape[0] != y.shape[0]:
        raise TypeError("expected w and y to have the same length")


defined_as(np.vander, vander)
defined_as(np.polyfit, polyfit)
