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
from srcgrad.rules.scipy.special.searches import defsearch
from srcgrad.rules.scipy.ufuncs import defufunc


# ----- Discrete distributions, by the probability of success or the mean -----
def binomial_slope(k, n, p):
    k, n = np.floor(k), np.trunc(n)  # as SciPy takes it
    return beta_density(n - k, k + 1.0, 1.0 - p)


def negative_binomial_slope(k, n, p):
    return beta_density(np.trunc(n), np.add(np.trunc(k), 1.0), p)


def poisson_slope(k, m):
    return gamma_density(np.floor(k) + 1.0, m)


defufunc(special.bdtr, "k, n, p", p=lambda g, k, n, p: -g * binomial_slope(k, n, p))
defufunc(special.bdtrc, "k, n, p", p=lambda g, k, n, p: g * binomial_slope(k, n, p))
defufunc(
    special.bdtri, "k, n, y", y=lambda g, k, n, out: -g / binomial_slope(k, n, out)
)


def rules_of_nbdtr(sign):
    return {
        "p": lambda g, k, n, p: sign * g * negative_binomial_slope(k, n, p),
    }


for _function, _sign in ((special.nbdtr, 1.0), (special.nbdtrc, -1.0)):
    defufunc(_function, "k, n, p", **rules_of_nbdtr(_sign))

defufunc(
    special.nbdtri,
    "k, n, y",
    y=lambda g, k, n, out: g / negative_binomial_slope(k, n, out),
)
defufunc(special.pdtr, "k, m", m=lambda g, k, m: -g * poisson_slope(k, m))
defufunc(special.pdtrc, "k, m", m=lambda g, k, m: g * poisson_slope(k, m))
defufunc(special.pdtri, "k, y", y=lambda g, k, out: -g / poisson_slope(k, out))


# The same for counts that need not be whole: of which the probabilities are these.
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

for _found, _parameters in (("k", "y, n, p"), ("n", "k, y, p")):
    for _name, _forward, _slopes in (
        ("bdtri", binomial, BINOMIAL),
        ("nbdtri", negative_binomial, NEGATIVE_BINOMIAL),
    ):
        _function = getattr(special, _name + _found)
        defsearch(_function, _parameters, _forward, _slopes, _found, p="y")
defsearch(special.pdtrik, "p, m", poisson, POISSON, "k")


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


def rules_of_chdtr(sign):
    return {
        "v": lambda g, v, x: sign * g * chi_square_in_v(v, x),
        "x": lambda g, v, x: sign * g * chi_square_density(v, x),
    }


for _function, _sign in ((special.chdtr, 1.0), (special.chdtrc, -1.0)):
    defufunc(_function, "v, x", **rules_of_chdtr(_sign))

defufunc(
    special.chdtri,
    "v, p",
    v=lambda g, v, out: -g * chi_square_in_v(v, out) / chi_square_density(v, out),
    p=lambda g, v, out: -g / chi_square_density(v, out),
)
defufunc(
    special.chdtriv,
    "p, x",
    p=lambda g, x, out: g / chi_square_in_v(out, x),
    x=lambda g, x, out: -g * chi_square_density(out, x) / chi_square_in_v(out, x),
)


def rules_of_gdtr(sign):
    return {
        "a": lambda g, a, b, x: sign * g * x * gamma_density(b, a * x),
        "b": lambda g, a, b, x: sign * g * gamma_in_a(b, a * x),
        "x": lambda g, a, b, x: sign * g * a * gamma_density(b, a * x),
    }


for _function, _sign in ((special.gdtr, 1.0), (special.gdtrc, -1.0)):
    defufunc(_function, "a, b, x", **rules_of_gdtr(_sign))

defufunc(
    special.gdtrix,
    "a, b, p",
    a=lambda g, a, out: -g * out / a,
    b=lambda g, a, b, out: (
        -g * gamma_in_a(b, a * out) / (a * gamma_density(b, a * out))
    ),
    p=lambda g, a, b, out: g / (a * gamma_density(b, a * out)),
)
defufunc(
    special.gdtria,
    "p, b, x",
    p=lambda g, b, x, out: g / (x * gamma_density(b, out * x)),
    b=lambda g, b, x, out: (
        -g * gamma_in_a(b, out * x) / (x * gamma_density(b, out * x))
    ),
    x=lambda g, x, out: -g * out / x,
)
defufunc(
    special.gdtrib,
    "a, p, x",
    a=lambda g, a, x, out: -g * x * gamma_density(out, a * x) / gamma_in_a(out, a * x),
    p=lambda g, a, x, out: g / gamma_in_a(out, a * x),
    x=lambda g, a, x, out: -g * a * gamma_density(out, a * x) / gamma_in_a(out, a * x),
)


def rules_of_fdtr(sign):
    return {
        "dfn": lambda g, dfn, dfd, x: sign * g * f_in_dfn(dfn, dfd, x),
        "dfd": lambda g, dfn, dfd, x: sign * g * f_in_dfd(dfn, dfd, x),
        "x": lambda g, dfn, dfd, x: sign * g * f_density(dfn, dfd, x),
    }


for _function, _sign in ((special.fdtr, 1.0), (special.fdtrc, -1.0)):
    defufunc(_function, "dfn, dfd, x", **rules_of_fdtr(_sign))

defufunc(
    special.fdtri,
    "dfn, dfd, p",
    dfn=lambda g, dfn, dfd, out: (
        -g * f_in_dfn(dfn, dfd, out) / f_density(dfn, dfd, out)
    ),
    dfd=lambda g, dfn, dfd, out: (
        -g * f_in_dfd(dfn, dfd, out) / f_density(dfn, dfd, out)
    ),
    p=lambda g, dfn, dfd, out: g / f_density(dfn, dfd, out),
)
defsearch(
    special.fdtridfd,
    "dfn, p, x",
    special.fdtr,
    {"dfn": f_in_dfn, "dfd": f_in_dfd, "x": f_density},
    "dfd",
)
defufunc(
    special.stdtr,
    "df, t",
    df=lambda g, df, t: g * t_in_df(df, t),
    t=lambda g, df, t: g * t_density(df, t),
)
defufunc(
    special.stdtrit,
    "df, p",
    df=lambda g, df, out: -g * t_in_df(df, out) / t_density(df, out),
    p=lambda g, df, out: g / t_density(df, out),
)
defsearch(
    special.stdtridf, "p, t", special.stdtr, {"df": t_in_df, "t": t_density}, "df"
)


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
