"""Rules for ``scipy.special``: error functions, the normal distribution, integrals."""

import math

import numpy as np
from scipy import special

from srcgrad.rules.complexes import conj
from srcgrad.rules.scipy.ufuncs import defufunc

SQRT_PI, SQRT_2PI = math.sqrt(math.pi), math.sqrt(2.0 * math.pi)
SLOPE = 2.0 / SQRT_PI  # of erf at 0


# ----- Error functions -----
defufunc(special.erf, "z", z=lambda g, z: SLOPE * g * conj(np.exp(-z * z)))
defufunc(special.erfc, "x", x=lambda g, x: -SLOPE * g * conj(np.exp(-x * x)))
defufunc(special.erfcx, "x", x=lambda g, x, out: g * conj(2.0 * x * out - SLOPE))
defufunc(special.erfi, "z", z=lambda g, z: SLOPE * g * conj(np.exp(z * z)))
defufunc(special.dawsn, "x", x=lambda g, x, out: g * conj(1.0 - 2.0 * x * out))
defufunc(special.wofz, "z", z=lambda g, z, out: g * conj(SLOPE * 1j - 2.0 * z * out))
defufunc(special.erfinv, "y", y=lambda g, out: g * np.exp(out * out) / SLOPE)
defufunc(special.erfcinv, "y", y=lambda g, out: -g * np.exp(out * out) / SLOPE)


# ----- The normal distribution -----
def normal_density(x):
    return np.exp(-0.5 * x * x) / SQRT_2PI


def deviation_share(deviation):
    return deviation * normal_density(deviation)


defufunc(special.ndtr, "x", x=lambda g, x: g * conj(normal_density(x)))
defufunc(
    special.log_ndtr,
    "x",
    x=lambda g, x, out: g * conj(np.exp(-0.5 * x * x - out) / SQRT_2PI),
)


defufunc(special.ndtri, "y", y=lambda g, out: g / normal_density(out))
defufunc(
    special.ndtri_exp,
    "y",
    y=lambda g, y, out: g * SQRT_2PI * np.exp(y + 0.5 * out * out),
)
defufunc(
    special.owens_t,
    "h, a",
    h=lambda g, h, a: -0.5 * g * normal_density(h) * special.erf(a * h / math.sqrt(2)),
    a=lambda g, h, a: (
        g * np.exp(-0.5 * h * h * (1.0 + a * a)) / (2.0 * np.pi * (1.0 + a * a))
    ),
)
defufunc(
    special.nrdtrimn,
    "p, std, x",
    p=lambda g, p, std: -g * std / normal_density(special.ndtri(p)),
    std=lambda g, p: -g * special.ndtri(p),
    x=lambda g: g,
)
defufunc(
    special.nrdtrisd,
    "mn, p, x",
    mn=lambda g, p: -g / special.ndtri(p),
    p=lambda g, p, out: -g * out / deviation_share(special.ndtri(p)),
    x=lambda g, p: g / special.ndtri(p),
)


def voigt_slope(x, sigma, gamma):
    """The scaled point of Faddeeva's function, and its slope there."""
    z = (x + 1j * gamma) / (sigma * math.sqrt(2.0))
    return z, SLOPE * 1j - 2.0 * z * special.wofz(z)


def voigt_point(g, x, sigma, gamma):
    _, slope = voigt_slope(x, sigma, gamma)
    return g * np.real(slope) / (2.0 * SQRT_PI * sigma * sigma)


def voigt_gamma(g, x, sigma, gamma):
    _, slope = voigt_slope(x, sigma, gamma)
    return -g * np.imag(slope) / (2.0 * SQRT_PI * sigma * sigma)


def voigt_sigma(g, x, sigma, gamma, out):
    z, slope = voigt_slope(x, sigma, gamma)
    return -g * (out + np.real(z * slope) / (SQRT_2PI * sigma)) / sigma


defufunc(
    special.voigt_profile,
    "x, sigma, gamma",
    x=voigt_point,
    sigma=voigt_sigma,
    gamma=voigt_gamma,
)


# ----- Integrals of exponentials, sines and cosines -----
def over(numerator, z, at_zero):
    """A quotient by ``z`` that has a limit at 0."""
    is_zero = z == 0
    return np.where(is_zero, at_zero, numerator / np.where(is_zero, 1.0, z))


def exponential_integral_back(g, n, x):
    """Order by order, which is whole, down to ``E0 = exp(-x) / x``."""
    n = np.trunc(n)
    lower = special.expn(np.maximum(np.subtract(n, 1), 0), x)
    return -g * np.where(np.equal(n, 0), np.exp(-x) * (1.0 + 1.0 / x) / x, lower)


def fresnel_back(g, z):
    of_s, of_c = g
    angle = 0.5 * np.pi * z * z
    return of_s * conj(np.sin(angle)) + of_c * conj(np.cos(angle))


def sine_integrals_back(g, x):
    of_s, of_c = g
    return of_s * conj(np.sinc(x / np.pi)) + of_c * conj(np.cos(x) / x)


def hyperbolic_integrals_back(g, x):
    of_s, of_c = g
    return of_s * conj(over(np.sinh(x), x, 1.0)) + of_c * conj(np.cosh(x) / x)


defufunc(special.expi, "x", x=lambda g, x: g * conj(np.exp(x) / x))
defufunc(special.exp1, "z", z=lambda g, z: -g * conj(np.exp(-z) / z))
defufunc(special.expn, "n, x", x=exponential_integral_back)
defufunc(special.fresnel, "z", z=fresnel_back)
defufunc(special.sici, "x", x=sine_integrals_back)
defufunc(special.shichi, "x", x=hyperbolic_integrals_back)
# spence(z) has log(z) / (1 - z); special.log1p takes complex numbers too.
defufunc(special.spence, "z", z=lambda g, z: -g * conj(over(np.log(z), z - 1.0, 1.0)))
