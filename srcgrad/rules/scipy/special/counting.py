"""Rules for ``scipy.special``: factorials, binomials; Bessel slopes; Kolmogorov's."""

import math

import numpy as np
from scipy import special

from srcgrad.protocols import raw_of
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.scipy.scipy_sources import as_in_scipy
from srcgrad.rules.scipy.special.searches import definverse, defslopes
from srcgrad.rules.scipy.without import refuse


# ----- Factorials -----
def check(name, exact):
    if exact:
        refuse(f"{name} with exact=True", "its result is a whole number")


def comb(N, k, *, exact=False, repetition=False):
    """``scipy.special.comb``"""
    check("comb", exact)
    if repetition:
        N = np.add(N, k) - 1.0
    inside = np.less_equal(k, N) & np.greater_equal(N, 0) & np.greater_equal(k, 0)
    return np.where(inside, special.binom(N, k), 0.0)


def perm(N, k, exact=False):
    """``scipy.special.perm``"""
    check("perm", exact)
    inside = np.less_equal(k, N) & np.greater_equal(N, 0) & np.greater_equal(k, 0)
    return np.where(inside, special.poch(np.subtract(N, k) + 1.0, k), 0.0)


def factorial(n, exact=False, extend="zero"):
    """``scipy.special.factorial``"""
    check("factorial", exact)
    value = special.gamma(n + 1.0)
    return value if extend == "complex" else np.where(np.less(n, 0), 0.0, value)


def factorialk(n, k, exact=False, extend="zero"):
    """``scipy.special.factorialk``, of whole numbers if it is not extended"""
    if extend != "complex" or exact:
        return special.factorialk(raw_of(n), raw_of(k), exact, extend)
    if np.iscomplexobj(raw_of(k)) or k <= 0:
        refuse("factorialk", "for a `k` that is not positive")
    k = float(k) if type(k) is int else k
    scale = special.rgamma(1.0 / k + 1.0) / np.power(k, 1.0 / k)
    return np.power(k, n / k) * special.gamma(n / k + 1.0) * scale


def factorial2(n, exact=False, extend="zero"):
    """``scipy.special.factorial2``"""
    return factorialk(n, 2, exact, extend)


def diric(x, n):
    """``scipy.special.diric``: sin(n x / 2) / (n sin(x / 2))."""
    half = 0.5 * x
    turns = np.round(half / np.pi)
    rest = half - np.pi * turns
    is_top = np.abs(n * rest) < 0.02  # where it is 1 or -1, and even
    angle = np.where(is_top, rest, 0.0)
    powers = zip((2, 4, 6), (-6.0, -180.0, -2835.0), strict=True)
    logs = sum((np.power(n, k) - 1.0) / c * angle**k for k, c in powers)
    top = np.cos(np.pi * turns * np.subtract(n, 1)) * np.exp(logs)
    value = np.sin(n * half) / (n * np.where(is_top, 1.0, np.sin(half)))
    return np.where(is_top, top, value)


for _own in (comb, perm, factorial, factorial2, factorialk, diric):
    defined_as(getattr(special, _own.__name__), _own)


as_in_scipy(special, "jvp yvp ivp kvp h1vp h2vp")


# ----- Kolmogorov's distribution -----
def kolmogorov_slope(y):
    """By one series or by its dual: few terms of either where it is used."""
    is_low = np.less(y, 1.0)
    high = np.expand_dims(np.where(is_low, 1.0, y), -1)
    low = np.expand_dims(np.where(is_low & np.greater(y, 0.03), y, 1.0), -1)
    k = np.arange(1.0, 9.0)
    signs = (-1.0) ** k
    tail = 8.0 * high * signs * k * k * np.exp(-2.0 * (k * high) ** 2)
    power = ((2.0 * k - 1.0) * np.pi) ** 2 / (8.0 * low * low)
    root = math.sqrt(2.0 * math.pi) / (low * low)
    start = root * (1.0 - 2.0 * power) * np.exp(-power)
    found = np.where(is_low, np.sum(start, axis=-1), np.sum(tail, axis=-1))
    return np.where(np.less_equal(y, 0.03), 0.0, found)


KOLMOGOROV = {"y": kolmogorov_slope}
defslopes(special.kolmogorov, KOLMOGOROV)
definverse(special.kolmogi, "p", KOLMOGOROV, "y")


# ----- Smirnov's distribution, of n numbers -----
def smirnov_slope(n, d):
    """The slope in ``d``, term by term: -1 at 0."""
    n = np.trunc(n)
    is_inside = np.greater(d, 0) & np.less(d, 1)
    is_start = np.less_equal(d, 0) | np.less_equal(n, 1)
    n, d = np.expand_dims(n, -1), np.expand_dims(np.where(is_inside, d, 0.5), -1)
    k = np.arange(np.max(n) + 1.0)
    is_term = k < n * (1.0 - d)
    left, right = d + k / n, np.where(is_term, 1.0 - d - k / n, 0.5)
    rest = np.where(is_term, n - k, 0.0)
    logs = special.gammaln(n + 1.0) - special.gammaln(k + 1.0)
    logs = logs - special.gammaln(rest + 1.0) + np.log(d)
    logs = logs + (k - 1.0) * np.log(left) + rest * np.log(right)
    term = np.exp(np.where(is_term, logs, 0.0))
    term = term * (1.0 / d + (k - 1.0) / left - rest / right)
    out = np.sum(np.where(is_term, term, 0.0), axis=-1)
    return np.where(is_inside, out, np.where(is_start, -1.0, 0.0))


SMIRNOV = {"n": None, "d": smirnov_slope}
defslopes(special.smirnov, SMIRNOV)
definverse(special.smirnovi, "n, p", SMIRNOV, "d")
