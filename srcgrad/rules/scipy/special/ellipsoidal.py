"""Rules for ``scipy.special``: ellipsoidal harmonics, which are Lamé's functions.

Such a function is some of the factors ``s``, ``sqrt(|s**2 - h2|)`` and
``sqrt(|s**2 - k2|)`` times a polynomial in ``1 - s**2 / h2``, a solution of Heun's
equation: its coefficients are an eigenvector of a matrix of three diagonals, linear in
``1 - k2 / h2``. The integrals of the second kind and the norm are smooth in an angle.
"""

import math

import numpy as np
from scipy import special

from srcgrad.rules.compositions import defined_as
from srcgrad.rules.matrices import rows
from srcgrad.rules.scipy.precision import doubles

COUNT = 200
ANGLES = math.pi * (np.arange(COUNT) + 0.5) / COUNT
NODES, WEIGHTS = (0.5 * each for each in np.polynomial.legendre.leggauss(COUNT))


def kind_of(n, p):
    """Which factors there are, the degree of the polynomial, and its number."""
    if np.ndim(n) or np.ndim(p):
        raise NotImplementedError(
            "srcgrad has derivatives of ellipsoidal harmonics for one `n` and one `p` "
            "at a time: call the function for each"
        )
    n, number = int(n), int(p) - 1
    odd = n % 2
    for factors in ((odd, 0, 0), (1 - odd, 1, 0), (1 - odd, 0, 1), (odd, 1, 1)):
        degree = (n - sum(factors)) // 2
        if 0 <= number <= degree:
            return factors, degree, number
        number -= degree + 1
    raise ValueError(f"p is a number from 1 to 2 * n + 1, not {p}")


def coefficients(h2, k2, factors, degree, number):
    """Those of the polynomial, with that of the highest power of ``s`` 1."""
    at_one, at_zero, beyond = (each + 0.5 for each in factors)
    ratio = np.expand_dims(1.0 - k2 / h2, -1)
    j = np.arange(degree + 1.0)
    slopes = (j - 1.0 + at_zero) * (1.0 + ratio) + ratio * at_one + beyond
    above = ratio * (j[1:] * (j[:-1] + at_zero))
    below = (j[:-1] - degree) * (j[:-1] + degree + sum(factors) + 0.5)
    both = np.concatenate([np.sqrt(above * below), np.zeros_like(ratio)], axis=-1)
    beside = rows(both) * np.eye(degree + 1, k=1)
    matrix = -rows(j * slopes) * np.eye(degree + 1) - beside
    matrix = matrix - np.swapaxes(beside, -1, -2)
    vector = np.linalg.eigh(matrix)[1][..., number]
    scales = np.cumprod(np.sqrt(below / above), axis=-1)
    scales = np.concatenate([np.ones_like(ratio), scales], axis=-1)
    found = vector * scales
    return found / found[..., -1:] * np.expand_dims((-h2) ** degree, -1)


def lame(s, h2, k2, found, factors):
    """The harmonic, but for signs, by the coefficients of its polynomial."""
    s2 = s * s
    x = 1.0 - s2 / h2
    out = found[..., -1] + np.zeros_like(x)
    for j in range(found.shape[-1] - 2, -1, -1):
        out = out * x + found[..., j]
    for factor, is_there in zip((s, s2 - h2, s2 - k2), factors, strict=True):
        if is_there:
            out = out * (factor if factor is s else np.sqrt(np.abs(factor)))
    return out


def ellip_harm(h2, k2, n, p, s, signm=1, signn=1):
    """``scipy.special.ellip_harm``"""
    factors, degree, number = kind_of(n, p)
    h2, k2, s = (np.multiply(each, 1.0) for each in (h2, k2, s))
    out = lame(s, h2, k2, coefficients(h2, k2, factors, degree, number), factors)
    for sign, is_there in zip((signm, signn), factors[1:], strict=True):
        out = out * np.sign(sign) if is_there else out
    return out


def ellip_harm_2(h2, k2, n, p, s):
    """``scipy.special.ellip_harm_2``: an integral over ``asin(k / s)``."""
    factors, degree, number = kind_of(n, p)
    h2, k2, s = map(doubles, (h2, k2, s))
    found = coefficients(h2, k2, factors, degree, number)
    own = lame(s, h2, k2, found, factors)
    h2, k2, s = (np.expand_dims(each, -1) for each in (h2, k2, s))
    k = np.sqrt(k2)
    end = np.arcsin(k / s)
    sine = np.sin(end * (NODES + 0.5))
    there = lame(k / sine, h2, k2, np.expand_dims(found, -2), factors)
    values = 1.0 / (there * there * np.sqrt(1.0 - h2 / k2 * sine * sine))
    integral = np.sum(WEIGHTS * values, axis=-1) * (end / k)[..., 0]
    return (2 * int(n) + 1) * own * integral


def ellip_normal(h2, k2, n, p):
    """``scipy.special.ellip_normal``: four integrals over angles, from 0 to pi."""
    factors, degree, number = kind_of(n, p)
    h2, k2 = doubles(h2), doubles(k2)
    found = np.expand_dims(coefficients(h2, k2, factors, degree, number), -2)
    h2, k2 = (np.expand_dims(each, -1) for each in (h2, k2))
    h, k = np.sqrt(h2), np.sqrt(k2)
    inner = h * np.cos(ANGLES)
    outer = 0.5 * (h + k) + 0.5 * (k - h) * np.cos(ANGLES)
    near = lame(inner, h2, k2, found, factors) ** 2 / np.sqrt(k2 - inner * inner)
    far = lame(outer, h2, k2, found, factors) ** 2 / np.sqrt((outer + h) * (outer + k))
    sums = [np.mean(each, axis=-1) for each in (near, far)]
    squares = [np.mean(near * inner**2, axis=-1), np.mean(far * outer**2, axis=-1)]
    return 4.0 * math.pi**2 * (squares[1] * sums[0] - sums[1] * squares[0])


for _own in (ellip_harm, ellip_harm_2, ellip_normal):
    defined_as(getattr(special, _own.__name__), _own)
