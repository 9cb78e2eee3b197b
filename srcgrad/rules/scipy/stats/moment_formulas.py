"""Moments and entropies where SciPy's own formula does not run on Variables.

They are of the standardised distribution. Only slopes are made of them: values are
SciPy's.
"""

import math
from typing import Any

import numpy as np
from scipy import special

psi = special.digamma


def gamma_ratio(above, below):
    """A product of gammas over another."""
    logs = sum((special.gammaln(a) for a in above), start=0.0)
    return np.exp(logs - sum((special.gammaln(b) for b in below), start=0.0))


def over_product(n, factor):
    """``1 / (factor(1) * ... * factor(n))``"""
    out = 1.0
    for k in range(1, n + 1):
        out = out / factor(k)
    return out


def gennorm(n, beta):
    return 0.0 * beta if n % 2 else halfgennorm(n, beta)


def halfgennorm(n, beta):
    return gamma_ratio([(n + 1) / beta], [1.0 / beta])


def trapezoid(n, c, d):
    powers = sum((d**k for k in range(1, n + 2)), start=1.0)
    return 2.0 * (powers - c ** (n + 1)) / ((1.0 + d - c) * (n + 1) * (n + 2))


def truncnorm(n, a, b):
    """By the two moments before, and what is at the ends."""
    is_right = a > 0
    low, high = np.where(is_right, -b, a), np.where(is_right, -a, b)
    whole = special.log_ndtr(high)
    whole = whole + np.log1p(-np.exp(special.log_ndtr(low) - whole))

    def at(end, power):
        safe = np.where(np.isfinite(end), end, 0.0)
        density = np.exp(-0.5 * safe * safe - whole) / math.sqrt(2.0 * math.pi)
        return np.where(np.isfinite(end), safe**power * density, 0.0)

    before, moment = 0.0, 1.0
    for k in range(1, n + 1):
        ends = at(a, k - 1) - at(b, k - 1)
        before, moment = moment, (k - 1) * before + ends
    return moment


def truncpareto(n, b, c):
    log_c = np.log(c)
    return -b * log_c * special.exprel((n - b) * log_c) / np.expm1(-b * log_c)


# The n-th moment by n and the shapes.
RAW: dict[str, Any] = {
    "betaprime": lambda n, a, b: gamma_ratio([a + n, b - n], [a, b]),
    "burr": lambda n, c, d: d * special.beta(d + n / c, 1.0 - n / c),
    "burr12": lambda n, c, d: d * special.beta(d - n / c, 1.0 + n / c),
    "chi": lambda n, df: 2.0 ** (0.5 * n) * gamma_ratio([0.5 * (df + n)], [0.5 * df]),
    "f": lambda n, dfn, dfd: (
        (dfd / dfn) ** n
        * gamma_ratio([0.5 * dfn + n, 0.5 * dfd - n], [0.5 * dfn, 0.5 * dfd])
    ),
    "fisk": lambda n, c: (n * np.pi / c) / np.sin(n * np.pi / c),
    "gennorm": gennorm,
    "genpareto": lambda n, c: math.factorial(n) * over_product(n, lambda k: 1 - k * c),
    "halfgennorm": halfgennorm,
    "invgamma": lambda n, a: over_product(n, lambda k: a - k),
    "lomax": lambda n, c: math.factorial(n) * over_product(n, lambda k: c - k),
    "loguniform": lambda n, a, b: (b**n - a**n) / (n * np.log(b / a)),
    "mielke": lambda n, k, s: k / s * special.beta((k + n) / s, 1.0 - n / s),
    "pareto": lambda n, b: b / (b - n),
    "trapezoid": trapezoid,
    "truncnorm": truncnorm,
    "truncpareto": truncpareto,
}
RAW["reciprocal"] = RAW["loguniform"]


def nbinom(n, p):
    rest = n * (1.0 - p)
    skewness = (2.0 - p) / np.sqrt(rest)
    return rest / p, rest / p**2, skewness, (p * p - 6.0 * p + 6.0) / rest


# Mean, variance, skewness and excess of kurtosis.
STATS: dict[str, Any] = {"nbinom": nbinom}


# ----- Entropies -----
def gamma_entropy(a):
    return a + special.gammaln(a) + (1.0 - a) * psi(a)


def betaprime_entropy(a, b):
    of_b = psi(b)
    both = (a + b) * (psi(a + b) - of_b)
    return special.betaln(a, b) - (a - 1.0) * (psi(a) - of_b) + both


def student_entropy(df):
    half = 0.5 * (df + 1.0)
    scale = 0.5 * np.log(df) + special.betaln(0.5 * df, 0.5)
    return half * (psi(half) - psi(0.5 * df)) + scale


ENTROPIES: dict[str, Any] = {
    "betaprime": betaprime_entropy,
    "dgamma": lambda a: gamma_entropy(a) + math.log(2.0),
    "t": student_entropy,
}
