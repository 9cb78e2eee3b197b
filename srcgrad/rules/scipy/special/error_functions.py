"""Rules for ``scipy.special``: error functions, the normal distribution, integrals."""

import math

import numpy as np
from scipy import special

from srcgrad.rules.complexes import conj, is_complex
from srcgrad.rules.scipy.special.holes import LOG1P_SERIES, apart, near_zero
from srcgrad.rules.scipy.special.normal_tails import (
    FAR,
    SQRT_2PI,
    fraction,
    inverse_mills,
    normal_density,
    tail_moment,
)
from srcgrad.rules.scipy.ufuncs import defufunc

SQRT_2, SQRT_PI = math.sqrt(2.0), math.sqrt(math.pi)
SLOPE = 2.0 / SQRT_PI  # of erf at 0


# ----- Error functions -----
def faddeeva_slope(z, out):
    """Far out, where its terms are nearly equal, by a continued fraction."""
    is_far = (np.abs(z) > FAR) & (np.imag(z) >= 0)
    far = -2.0 * fraction(np.where(is_far, z, 2.0 * FAR)) * out
    return np.where(is_far, far, SLOPE * 1j - 2.0 * z * out)


def dawson_slope(x):
    is_far = np.abs(x) > FAR
    out = special.dawsn(np.where(is_far, 0.0, x))
    far = np.where(is_far, x, 2.0 * FAR)
    rest = fraction(far)
    return np.where(is_far, -rest / (far - rest), 1.0 - 2.0 * x * out)


def scaled_slope(x, out):
    """That of ``erfcx``: ``2 x out - 2 / sqrt(pi)`` has none of its digits at 1e8."""
    if is_complex(x):
        return 1j * faddeeva_slope(1j * x, out)
    is_tail = x > 0
    tail = -SQRT_2 * out * tail_moment(np.where(is_tail, -SQRT_2 * x, 0.0), 1)
    return np.where(is_tail, tail, 2.0 * x * out - SLOPE)


defufunc(special.erf, "z", z=lambda g, z: SLOPE * g * conj(np.exp(-z * z)))
defufunc(special.erfc, "x", x=lambda g, x: -SLOPE * g * conj(np.exp(-x * x)))
defufunc(special.erfcx, "x", x=lambda g, x, out: g * conj(scaled_slope(x, out)))
defufunc(special.erfi, "z", z=lambda g, z: SLOPE * g * conj(np.exp(z * z)))
defufunc(special.dawsn, "x", x=lambda g, x: g * conj(dawson_slope(x)))
defufunc(special.wofz, "z", z=lambda g, z, out: g * conj(faddeeva_slope(z, out)))
# Of inverses single precision's result is too rough; they are found again.
defufunc(special.erfinv, "y", y=lambda g, y: g * np.exp(special.erfinv(y) ** 2) / SLOPE)
defufunc(
    special.erfcinv, "y", y=lambda g, y: -g * np.exp(special.erfcinv(y) ** 2) / SLOPE
)


# ----- The normal distribution -----
def log_slope(x, out):
    if is_complex(x):
        return np.exp(-0.5 * x * x - out) / SQRT_2PI
    return inverse_mills(x)


def deviation_share(deviation):
    return deviation * normal_density(deviation)


defufunc(special.ndtr, "x", x=lambda g, x: g * conj(normal_density(x)))
defufunc(special.log_ndtr, "x", x=lambda g, x, out: g * conj(log_slope(x, out)))

defufunc(special.ndtri, "y", y=lambda g, y: g / normal_density(special.ndtri(y)))
defufunc(special.ndtri_exp, "y", y=lambda g, y: g / inverse_mills(special.ndtri_exp(y)))
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
    z = (x + 1j * gamma) / (sigma * SQRT_2)
    return z, faddeeva_slope(z, special.wofz(z))


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
def exponential_integral_back(g, n, x):
    """Order by order, which is whole, down to ``E0 = exp(-x) / x``."""
    n = np.trunc(n)
    lower = special.expn(np.maximum(np.subtract(n, 1), 0), x)
    is_last = np.equal(n, 0)
    x = np.where(is_last, x, 1.0)
    return -g * np.where(is_last, np.exp(-x) * (1.0 + 1.0 / x) / x, lower)


def fresnel_back(g, z):
    of_s, of_c = g
    angle = 0.5 * np.pi * z * z
    return of_s * conj(np.sin(angle)) + of_c * conj(np.cos(angle))


def sine_integrals_back(g, x):
    of_s, of_c = g
    other = apart(x, of_c)
    return of_s * conj(np.sinc(x / np.pi)) + of_c * conj(np.cos(other) / other)


SINHC = [1.0 / math.factorial(2 * n + 1) for n in range(9)]


def hyperbolic_integrals_back(g, x):
    of_s, of_c = g
    other = apart(x, of_c)
    sinhc = near_zero(x, SINHC, lambda x: np.sinh(x) / x, is_even=True)
    return of_s * conj(sinhc) + of_c * conj(np.cosh(other) / other)


def exponential_over(x):
    """``exp(x) / x``, which is a float for longer than its numerator."""
    half = np.exp(0.5 * x)
    return half / x * half


defufunc(special.expi, "x", x=lambda g, x: g * conj(exponential_over(x)))
defufunc(special.exp1, "z", z=lambda g, z: -g * conj(np.exp(-z) / z))
defufunc(special.expn, "n, x", x=exponential_integral_back)
defufunc(special.fresnel, "z", z=fresnel_back)
defufunc(special.sici, "x", x=sine_integrals_back)
defufunc(special.shichi, "x", x=hyperbolic_integrals_back)
# spence(z) has log(z) / (1 - z).
defufunc(
    special.spence,
    "z",
    z=lambda g, z: -g * conj(near_zero(z - 1.0, LOG1P_SERIES, lambda y: np.log(z) / y)),
)
