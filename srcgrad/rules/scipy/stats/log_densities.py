"""Log-densities where SciPy's own formula does not run on Variables.

Each is a function of the standardised point, inside the support, and of the shape
parameters, under the name of the distribution in ``scipy.stats``.
"""

import math
from typing import Any

import numpy as np
from scipy import special

from srcgrad.rules.scipy.special import noncentral, noncentral_t
from srcgrad.rules.scipy.special.holes import LOG1P_SERIES, near_zero

LOG_2PI = math.log(2.0 * math.pi)


def normal(x):
    return -0.5 * x * x - 0.5 * LOG_2PI


def scaled_log1p(x, c):
    """``log1p(c * x) / c``, which is ``x`` where ``c`` is 0."""
    return x * near_zero(c * x, LOG1P_SERIES, lambda v: np.log1p(v) / v)


def burr(x, c, d):
    powers = special.xlogy(-c - 1.0, x) - special.xlog1py(d + 1.0, x ** (-c))
    return np.log(c) + np.log(d) + powers


def genextreme(x, c):
    inner = -scaled_log1p(x, -c)
    return -np.exp(inner) + inner - np.log1p(-c * x)


def genhalflogistic(x, c):
    inner = -scaled_log1p(x, -c)
    return math.log(2.0) + inner - np.log1p(-c * x) - 2.0 * np.log1p(np.exp(inner))


def genhyperbolic(x, p, a, b):
    inner, root = np.sqrt((a - b) * (a + b)), np.sqrt(1.0 + x * x)
    front = p * np.log(inner) - 0.5 * LOG_2PI - (p - 0.5) * np.log(a)
    bessels = np.log(special.kve(p - 0.5, a * root)) - np.log(special.kve(p, inner))
    return front + bessels + b * x + inner - a * root + (p - 0.5) * np.log(root)


def geninvgauss(x, p, b):
    exponent = special.xlogy(p - 1.0, x) - 0.5 * b * (x + 1.0 / x) + b
    return exponent - math.log(2.0) - np.log(special.kve(p, b))


def log_mills(x):
    """The logarithm of Mills's ratio: that of the normal tail to the density."""
    is_right = x > -30.0
    right = special.erfcx(np.where(is_right, x, 0.0) / math.sqrt(2.0))
    left = special.log_ndtr(-x) - normal(x)
    return np.where(is_right, np.log(math.sqrt(0.5 * math.pi) * right), left)


def dpareto_lognorm(x, u, s, a, b):
    z = (np.log(x) - u) / s
    tails = np.logaddexp(log_mills(a * s - z), log_mills(b * s + z))
    return np.log(a) + np.log(b) - np.log(a + b) - np.log(x) + normal(z) + tails


def pearson3(x, skew):
    """A gamma distribution, moved and turned; without skew the normal one."""
    is_normal = np.abs(skew) < 0.000016  # SciPy's bound
    beta = 2.0 / np.where(is_normal, 1.0, skew)
    alpha, y = beta * beta, beta * (x + beta)
    is_inside = y > 0
    y = np.where(is_inside, y, 1.0)
    value = np.log(np.abs(beta)) + special.xlogy(alpha - 1.0, y) - y
    value = np.where(is_inside, value - special.gammaln(alpha), -np.inf)
    return np.where(is_normal, normal(x), value)


def trapezoid(x, c, d):
    left, right = x < c, x > d
    rise = np.where(left, x / np.where(left, c, 1.0), 1.0)
    fall = np.where(right, (1.0 - x) / np.where(right, 1.0 - d, 1.0), 1.0)
    return np.log(rise * fall * 2.0 / (d - c + 1.0))


def log_normal_mass(a, b):
    """The logarithm of what the normal distribution has between two points.

    Measured in the left tail, whichever side the interval is on.
    """
    is_right = a > 0
    low, high = np.where(is_right, -b, a), np.where(is_right, -a, b)
    is_all, is_tail = np.isinf(low), high < 0
    low = np.where(is_all, high - 1.0, low)
    tail = np.where(is_tail, high, 0.0)  # where both logarithms may be large
    beyond = 0.5 * (tail - low) * (tail + low) + log_mills(-low) - log_mills(-tail)
    whole = special.log_ndtr(high)
    rest = np.where(is_tail, beyond, special.log_ndtr(low) - whole)
    return whole + np.where(is_all, 0.0, log1m_exp(rest))


def log1m_exp(x):
    """``log(1 - exp(x))`` of a negative number."""
    is_near = x > -0.7
    near, far = np.where(is_near, x, -1.0), np.where(is_near, -1.0, x)
    return np.where(is_near, np.log(-np.expm1(near)), np.log1p(-np.exp(far)))


def truncnorm(x, a, b):
    return normal(x) - log_normal_mass(a, b)


def truncpareto(x, b, c):
    return np.log(-b / np.expm1(-b * np.log(c))) - (b + 1.0) * np.log(x)


def skellam(k, mu1, mu2):
    """The difference of two counts: the order of the Bessel function is a count."""
    z = 2.0 * np.sqrt(mu1 * mu2)
    bessel = np.log(special.ive(np.abs(k), z))
    return 0.5 * k * np.log(mu1 / mu2) + bessel + z - mu1 - mu2


def kappa4(x, h, k):
    inner = -scaled_log1p(x, -k)
    outer = np.exp(inner)
    rest = inner - np.log1p(-k * x) - scaled_log1p(outer, -h)
    return rest - np.log1p(-h * outer)


def kappa4_support(h, k):
    """Where the inner or the outer power has an end."""
    has_h, has_k = h > 0, k != 0
    safe_h, safe_k = np.where(has_h, h, 1.0), np.where(has_k, k, 1.0)
    low = np.where(has_k, (1.0 - safe_h ** (-safe_k)) / safe_k, np.log(safe_h))
    end = 1.0 / safe_k
    low = np.where(has_h, low, np.where(k < 0, end, -np.inf))
    return low, np.where(k > 0, end, np.inf)


def tukey_end(lam):
    return np.where(lam > 0, 1.0 / np.where(lam > 0, lam, 1.0), np.inf)


LOG_DENSITIES: dict[str, Any] = {
    "ncf": noncentral.log_f,
    "nct": noncentral_t.log_density,
    "ncx2": noncentral.log_chi_square,
    "burr": burr,
    "dpareto_lognorm": dpareto_lognorm,
    "fisk": lambda x, c: burr(x, c, 1.0),
    "genextreme": genextreme,
    "genhalflogistic": genhalflogistic,
    "genhyperbolic": genhyperbolic,
    "geninvgauss": geninvgauss,
    "genpareto": lambda x, c: -(c + 1.0) * scaled_log1p(x, c),
    "kappa4": kappa4,
    "pearson3": pearson3,
    "skewnorm": lambda x, a: math.log(2.0) + normal(x) + special.log_ndtr(a * x),
    "trapezoid": trapezoid,
    "triang": lambda x, c: trapezoid(x, c, c),
    "truncnorm": truncnorm,
    "truncpareto": truncpareto,
    "uniform": lambda x: 0.0 * x,
}

# The ends of supports, likewise.
SUPPORTS: dict[str, Any] = {
    "genpareto": lambda c: (
        0.0,
        np.where(c < 0, -1.0 / np.where(c < 0, c, 1.0), np.inf),
    ),
    "kappa4": kappa4_support,
    "tukeylambda": lambda lam: (-tukey_end(lam), tukey_end(lam)),
}

# The same of discrete distributions, by their parameters.
LOG_MASSES = {"skellam": skellam}
