"""Rules for ``scipy.special``: spheroidal functions by ``c``.

They are series of Legendre's functions, the radial ones of spherical Bessel functions,
with one vector of coefficients, whose slope is that of an eigenvector.
"""

import numpy as np
from scipy import special

from srcgrad.facts import declare
from srcgrad.function_parameters import SIGNATURES
from srcgrad.protocols import dispatched
from srcgrad.rules.libraries import reaching
from srcgrad.rules.registry import defconstant
from srcgrad.rules.scipy.special.characteristic import (
    Matrices,
    finite,
    spheroidal_matrices,
)

SIGNATURES[special.sph_legendre_p] = "n, m, theta, *, diff_n=0"
sph_legendre_p = reaching(special.sph_legendre_p)
spherical_jn = reaching(special.spherical_jn)


@dispatched
def degrees(m, n, vector):
    """Of Legendre's functions, every second from ``m`` or ``m + 1`` on."""
    rows = np.shape(vector)[-1]
    m, n = (np.asarray(each)[..., None] for each in np.broadcast_arrays(m, n))
    return m + np.mod(n - m, 2) + 2.0 * np.arange(rows)


@dispatched
def radial_scales(m, n, degree):
    """Of a vector's elements in a sum of spherical Bessel functions."""
    m, n = (np.asarray(each)[..., None] for each in np.broadcast_arrays(m, n))
    logs = special.gammaln(degree + m + 1.0) - special.gammaln(degree - m + 1.0)
    turn = np.where(np.mod((degree - n) / 2.0, 2.0) == 0, 1.0, -1.0)
    size = np.exp(0.5 * (logs - logs[..., :1])) * np.sqrt(2.0 * degree + 1.0)
    return np.stack([size, turn])


defconstant(degrees, radial_scales)
declare(degrees)
declare(radial_scales)


def vectors(sign, m, n, c):
    """The coefficients and their slopes by ``c``, with the degrees."""
    own, slope = Matrices(*spheroidal_matrices(m, n, c)).vector_slope(sign * c * c)
    return own, slope * (2.0 * sign * c)[..., None], degrees(m, n, own)


# ----- Angular functions: Legendre's at their equator whatever c is -----
def functions(m, degree, x):
    """Normalised, and their slopes."""
    angle = np.arccos(x)
    value = sph_legendre_p(degree, m, angle)[0]
    beside = (degree - m) * (degree + m) * (2.0 * degree + 1.0)
    beside = np.sqrt(np.maximum(beside / (2.0 * degree - 1.0), 0.0))
    before = sph_legendre_p(np.maximum(degree - 1, m), m, angle)[0]
    slope = (beside * before - degree * x * value) / ((1.0 - x) * (1.0 + x))
    return value, slope


def angular_slopes(sign, m, n, c, x, out):
    """Of a function and its slope, by ``c``."""
    c, m, n, x = np.broadcast_arrays(c, m, n, x)
    c, is_known = finite(c, m, n)
    own, slope, degree = vectors(sign, m, n, c)
    m, even = m[..., None].astype(int), np.mod(n - m, 2) == 0
    degree = degree.astype(int)
    series = functions(m, degree, x[..., None])
    at_start = functions(m, degree, np.zeros_like(x)[..., None])
    start = np.where(even[..., None], *at_start)
    fixed = np.sum(own * start, axis=-1)
    lean = np.sum(slope * start, axis=-1) / fixed
    values = [np.sum(own * each, axis=-1) for each in series]
    scale = (out[0] * values[0] + out[1] * values[1]) / sum(v * v for v in values)
    return [
        np.where(
            is_known, scale * (np.sum(slope * each, axis=-1) - lean * value), np.nan
        )
        for each, value in zip(series, values, strict=True)
    ]


# ----- Radial functions of the first kind -----
def radial_slopes(sign, m, n, c, x):
    """Of a function and its slope, by ``c``."""
    c, m, n, x = np.broadcast_arrays(c, m, n, x)
    c, is_known = finite(c, m, n)
    own, slope, degree = vectors(sign, m, n, c)
    size, turn = radial_scales(m, n, degree)
    own, slope = own * size, slope * size
    whole = np.sum(own, axis=-1)
    lean = np.sum(slope, axis=-1) / whole
    z = (c * x)[..., None]
    kind = degree.astype(int)
    waves, rise = spherical_jn(kind, z), spherical_jn(kind, z, True)
    bend = (degree * (degree + 1.0) / (z * z) - 1.0) * waves - 2.0 * rise / z

    def total(coefficients, each):
        return np.sum(turn * coefficients * each, axis=-1)

    shape = x * x - sign
    front = (shape / (x * x)) ** (0.5 * m) / whole
    factor = sign * m / (x * shape)  # the slope of the logarithm of what is in front
    value, moving = total(own, waves), total(own, rise)
    in_value = total(slope, waves) + x * moving - lean * value
    in_moving = c * (total(slope, rise) + x * total(own, bend) - lean * moving) + moving
    found = front * in_value, front * (factor * in_value + in_moving)
    return [np.where(is_known, each, np.nan) for each in found]
