"""Rules for ``scipy.special``: distribution functions and their inverses.

In the point (or the probability) and in the parameters, but for counts.
"""

import numpy as np
from scipy import special

from srcgrad.rules.scipy.special.entropies import exprel_slope
from srcgrad.rules.scipy.special.incomplete import (
    beta_density,
    beta_in_a,
    beta_in_b,
    beta_slopes,
    gamma_density,
    gamma_in_a,
)
from srcgrad.rules.scipy.special.searches import definverse, defslopes
from srcgrad.rules.scipy.ufuncs import defufunc


# ----- Discrete distributions, of counts that need not be whole -----
def binomial(k, n, p):
    return special.betainc(n - k, k + 1.0, 1.0 - p)


def negative_binomial(k, n, p):
    return special.betainc(n, k + 1.0, p)


def poisson(k, m):
    return special.gammaincc(k + 1.0, m)


def binomial_in_k(k, n, p):
    in_a, in_b = beta_slopes(n - k, k + 1.0, 1.0 - p)
    return in_b - in_a


BINOMIAL = {
    "k": binomial_in_k,
    "n": lambda k, n, p: beta_in_a(n - k, k + 1.0, 1.0 - p),
    "p": lambda k, n, p: -beta_density(n - k, k + 1.0, 1.0 - p),
}
NEGATIVE_BINOMIAL = {
    "k": lambda k, n, p: beta_in_b(n, k + 1.0, p),
    "n": lambda k, n, p: beta_in_a(n, k + 1.0, p),
    "p": lambda k, n, p: beta_density(n, k + 1.0, p),
}
POISSON = {
    "k": lambda k, m: -gamma_in_a(k + 1.0, m),
    "m": lambda k, m: -gamma_density(k + 1.0, m),
}


# Whose own functions take what is whole of the counts.
def of_whole(slopes, found):
    def slope(*args):
        *counts, place = args
        return slopes[found](*map(np.floor, counts), place)

    return {name: slope if name == found else None for name in slopes}


for _name, _parameters, _slopes, _found in (
    ("bdtr", "k, n, y", of_whole(BINOMIAL, "p"), "p"),
    ("nbdtr", "k, n, y", of_whole(NEGATIVE_BINOMIAL, "p"), "p"),
    ("pdtr", "k, y", of_whole(POISSON, "m"), "m"),
):
    defslopes(getattr(special, _name), _slopes)
    defslopes(getattr(special, f"{_name}c"), _slopes, -1.0)
    definverse(getattr(special, f"{_name}i"), _parameters, _slopes, _found, "y")

for _found, _parameters in (("k", "y, n, p"), ("n", "k, y, p")):
    for _name, _forward, _slopes in (
        ("bdtri", binomial, BINOMIAL),
        ("nbdtri", negative_binomial, NEGATIVE_BINOMIAL),
    ):
        _function = getattr(special, _name + _found)
        definverse(_function, _parameters, _slopes, _found, "y", forward=_forward)
definverse(special.pdtrik, "p, m", POISSON, "k", forward=poisson)


# ----- The chi-square, gamma, F and t distributions -----
def chi_square_density(v, x):
    return 0.5 * gamma_density(0.5 * v, 0.5 * x)


def f_density(dfn, dfd, x):
    """Of the F distribution, through the share ``dfn x / (dfn x + dfd)``."""
    whole = dfn * x + dfd
    inner = beta_density(0.5 * dfn, 0.5 * dfd, dfn * x / whole)
    return inner * dfn * dfd / (whole * whole)


def t_density(df, t):
    ratio = t / np.sqrt(df)
    is_tail = np.abs(ratio) > 1.0
    size = np.where(is_tail, np.abs(ratio), 1.0)
    share = np.where(is_tail, 1.0 / size, ratio)
    logs = -0.5 * (df + 1.0) * (2.0 * np.log(size) + np.log1p(share * share))
    return np.exp(logs - special.betaln(0.5 * df, 0.5)) / np.sqrt(df)


def chi_square_in_v(v, x):
    return 0.5 * gamma_in_a(0.5 * v, 0.5 * x)


def share_of(dfn, dfd, x):
    """What of F's whole is above the line, and its slope."""
    whole = dfn * x + dfd
    return dfn * x / whole, x * dfd / (whole * whole)


def f_in_dfn(dfn, dfd, x):
    share, slope = share_of(dfn, dfd, x)
    a, b = 0.5 * dfn, 0.5 * dfd
    return 0.5 * beta_in_a(a, b, share) + beta_density(a, b, share) * slope


def f_in_dfd(dfn, dfd, x):
    share, slope = share_of(dfn, dfd, x)
    a, b = 0.5 * dfn, 0.5 * dfd
    slope = slope * (dfn / dfd)
    return 0.5 * beta_in_b(a, b, share) - beta_density(a, b, share) * slope


def t_in_df(df, t):
    """As that of F with one degree above the line, whose root is t."""
    return 0.5 * np.sign(t) * f_in_dfd(1.0, df, t * t)


CHI_SQUARE = {"v": chi_square_in_v, "x": chi_square_density}
defslopes(special.chdtr, CHI_SQUARE)
defslopes(special.chdtrc, CHI_SQUARE, -1.0)
definverse(special.chdtri, "v, p", CHI_SQUARE, "x", sign=-1.0)
definverse(special.chdtriv, "p, x", CHI_SQUARE, "v")

GAMMA_OF_RATE = {
    "a": lambda a, b, x: x * gamma_density(b, a * x),
    "b": lambda a, b, x: gamma_in_a(b, a * x),
    "x": lambda a, b, x: a * gamma_density(b, a * x),
}
defslopes(special.gdtr, GAMMA_OF_RATE)
defslopes(special.gdtrc, GAMMA_OF_RATE, -1.0)
definverse(
    *(special.gdtrix, "a, b, p", GAMMA_OF_RATE, "x"), a=lambda g, a, out: -g * out / a
)
definverse(
    *(special.gdtria, "p, b, x", GAMMA_OF_RATE, "a"), x=lambda g, x, out: -g * out / x
)
definverse(special.gdtrib, "a, p, x", GAMMA_OF_RATE, "b")

F = {"dfn": f_in_dfn, "dfd": f_in_dfd, "x": f_density}
defslopes(special.fdtr, F)
defslopes(special.fdtrc, F, -1.0)
definverse(special.fdtri, "dfn, dfd, p", F, "x")
definverse(special.fdtridfd, "dfn, p, x", F, "dfd", forward=special.fdtr)

T = {"df": t_in_df, "t": t_density}
defslopes(special.stdtr, T)
definverse(special.stdtrit, "df, p", T, "t")
definverse(special.stdtridf, "p, t", T, "df", forward=special.stdtr)


# ----- Tukey's lambda distribution, the inverse of a difference of powers -----
def tukey_slope(lmbda, share):
    """One over the slope of the inverse; none where the support has ended."""
    is_inside = np.greater(share, 0.0) & np.less(share, 1.0)
    share = np.where(is_inside, share, 0.5)
    powers = share ** (lmbda - 1.0) + (1.0 - share) ** (lmbda - 1.0)
    return np.where(is_inside, 1.0 / powers, 0.0)


def tukey_in_lmbda(lmbda, share):
    """The slope of the inverse in ``lmbda``, inside the support."""
    share = np.where(np.greater(share, 0.0) & np.less(share, 1.0), share, 0.5)
    above, below = np.log(share), np.log1p(-share)
    left = above * above * exprel_slope(lmbda * above)
    return left - below * below * exprel_slope(lmbda * below)


defufunc(
    special.tklmbda,
    "x, lmbda",
    x=lambda g, lmbda, out: g * tukey_slope(lmbda, out),
    lmbda=lambda g, lmbda, out: (
        -g * tukey_in_lmbda(lmbda, out) * tukey_slope(lmbda, out)
    ),
)
