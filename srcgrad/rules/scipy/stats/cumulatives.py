"""Distribution functions where SciPy's own formula does not run on Variables.

Each is ``cdf`` of the standardised point, inside the support, and of the shape
parameters, as in ``log_densities``. Only gradients are made of it: values are SciPy's.
"""

import math
from typing import Any

import numpy as np
from scipy import special

from srcgrad.rules.scipy.stats import density_integrals
from srcgrad.rules.scipy.stats.log_densities import (
    log_mills,
    log_normal_mass,
    normal,
    scaled_log1p,
)


def crystalball(x, beta, m):
    weight = m / (beta * (m - 1.0)) * np.exp(-0.5 * beta * beta)
    root_2pi = math.sqrt(2.0 * math.pi)
    in_tail = x < -beta
    scale = m / beta
    reach = scale / (scale - beta - np.where(in_tail, x, -beta))
    tail = weight * reach ** (m - 1.0)
    middle = weight + root_2pi * (special.ndtr(x) - special.ndtr(-beta))
    whole = weight + root_2pi * special.ndtr(beta)
    return np.where(in_tail, tail, middle) / whole


def dpareto_lognorm(x, u, s, a, b):
    z = (np.log(x) - u) / s
    tails = (normal(z) + log_mills(each) for each in (a * s - z, b * s + z))
    left, right = map(np.exp, tails)
    return special.ndtr(z) - (b * left - a * right) / (a + b)


def genhalflogistic(x, c):
    left = np.exp(-scaled_log1p(x, -c))
    return (1.0 - left) / (1.0 + left)


def kappa4(x, h, k):
    return np.exp(-scaled_log1p(np.exp(-scaled_log1p(x, -k)), -h))


def pearson3(x, skew):
    """A gamma distribution, moved and turned."""
    is_normal = np.abs(skew) < 0.000016
    safe = np.where(is_normal, 1.0, skew)
    beta = 2.0 / safe
    alpha = beta * beta
    y = np.maximum(beta * (x + beta), 0.0)
    share = special.gammainc(alpha, y)
    share = np.where(safe > 0, share, 1.0 - share)
    return np.where(is_normal, special.ndtr(x), share)


def trapezoid(x, c, d):
    left, right = x < c, x > d
    rise = np.where(left, x * x / np.where(left, c, 1.0), 2.0 * x - c)
    beyond = np.where(right, x - d, 0.0)
    fall = beyond * beyond / np.where(right, 1.0 - d, 1.0)
    return (rise - fall) / (d - c + 1.0)


def truncnorm(x, a, b):
    """Measured in the left tail, whichever side the interval is on."""
    is_right = a > 0
    low, high = np.where(is_right, -b, a), np.where(is_right, -a, b)
    start = special.ndtr(low)
    whole = special.ndtr(high) - start
    share = (special.ndtr(np.where(is_right, -x, x)) - start) / whole
    return np.where(is_right, 1.0 - share, share)


# Where Gauss and Legendre look between 0 and 1, and with what weights.
PLACES, WEIGHTS = (each / 2.0 for each in special.roots_legendre(64))
PLACES = PLACES + 0.5


def vonmises(x, kappa):
    """From the middle of the nearest period on, as far as there is any density."""
    period = np.round(x / (2.0 * math.pi))
    reach = 10.0 / np.sqrt(kappa + 0.1)
    end = np.clip(x - 2.0 * math.pi * period, -reach, reach)
    bend = np.cos(np.multiply.outer(end, PLACES)) - 1.0
    share = np.reshape(kappa, (*np.shape(kappa), 1))
    density = np.sum(np.exp(share * bend) * WEIGHTS, axis=-1)
    return period + 0.5 + end * density / (2.0 * math.pi * special.i0e(kappa))


def wrapcauchy(x, c):
    ratio = (1.0 + c) / (1.0 - c)
    first = x < math.pi
    half = 0.5 * np.where(first, x, 2.0 * math.pi - x)
    share = np.arctan2(ratio * np.sin(half), np.cos(half)) / math.pi
    return np.where(first, share, 1.0 - share)


# Logarithms, of a distribution whose own are no functions with a derivative.
LOG_CUMULATIVES: dict[tuple[str, str], Any] = {
    ("truncnorm", "logcdf"): lambda x, a, b: (
        log_normal_mass(a, x) - log_normal_mass(a, b)
    ),
    ("truncnorm", "logsf"): lambda x, a, b: (
        log_normal_mass(x, b) - log_normal_mass(a, b)
    ),
}
CUMULATIVES: dict[str, Any] = {
    "crystalball": crystalball,
    "dpareto_lognorm": dpareto_lognorm,
    "gausshyper": density_integrals.gausshyper,
    "genextreme": lambda x, c: np.exp(-np.exp(-scaled_log1p(x, -c))),
    "genhalflogistic": genhalflogistic,
    "genhyperbolic": density_integrals.genhyperbolic,
    "geninvgauss": density_integrals.geninvgauss,
    "kappa4": kappa4,
    "norminvgauss": density_integrals.norminvgauss,
    "pearson3": pearson3,
    "skewnorm": lambda x, a: special.ndtr(x) - 2.0 * special.owens_t(x, a),
    "trapezoid": trapezoid,
    "triang": lambda x, c: trapezoid(x, c, c),
    "truncnorm": truncnorm,
    "truncpareto": lambda x, b, c: np.expm1(-b * np.log(x)) / np.expm1(-b * np.log(c)),
    "ncx2": lambda x, df, nc: special.chndtr(x, df, nc),
    "tukeylambda": lambda x, lam: special.tklmbda(x, lam),
    "vonmises": vonmises,
    "vonmises_line": vonmises,
    "wrapcauchy": wrapcauchy,
}
