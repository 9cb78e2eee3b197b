"""Rules for ``scipy.special``: distribution functions and their inverses.

In the point (or the probability) and in parameters that scale; where the derivative by
a shape parameter is not among SciPy's functions, there is no rule.
"""

import numpy as np
from scipy import special

from srcgrad.rules.scipy.gammas import beta_density, gamma_density
from srcgrad.rules.scipy.ufuncs import defufunc


# ----- Discrete distributions, by the probability of success or the mean -----
def binomial_slope(k, n, p):
    k = np.floor(k)
    return beta_density(n - k, k + 1.0, 1.0 - p)


def negative_binomial_slope(k, n, p):
    return beta_density(n, np.add(k, 1.0), p)


def poisson_slope(k, m):
    return gamma_density(np.floor(k) + 1.0, m)


defufunc(special.bdtr, "k, n, p", p=lambda g, k, n, p: -g * binomial_slope(k, n, p))
defufunc(special.bdtrc, "k, n, p", p=lambda g, k, n, p: g * binomial_slope(k, n, p))
defufunc(
    special.bdtri, "k, n, y", y=lambda g, k, n, out: -g / binomial_slope(k, n, out)
)
defufunc(
    special.nbdtr, "k, n, p", p=lambda g, k, n, p: g * negative_binomial_slope(k, n, p)
)
defufunc(
    special.nbdtrc,
    "k, n, p",
    p=lambda g, k, n, p: -g * negative_binomial_slope(k, n, p),
)
defufunc(
    special.nbdtri,
    "k, n, y",
    y=lambda g, k, n, out: g / negative_binomial_slope(k, n, out),
)
defufunc(special.pdtr, "k, m", m=lambda g, k, m: -g * poisson_slope(k, m))
defufunc(special.pdtrc, "k, m", m=lambda g, k, m: g * poisson_slope(k, m))
defufunc(special.pdtri, "k, y", y=lambda g, k, out: -g / poisson_slope(k, out))


# ----- The chi-square, gamma, F and t distributions -----
def chi_square_density(v, x):
    return 0.5 * gamma_density(0.5 * v, 0.5 * x)


def f_density(dfn, dfd, x):
    """Of the F distribution, through the share ``dfn x / (dfn x + dfd)``."""
    whole = dfn * x + dfd
    inner = beta_density(0.5 * dfn, 0.5 * dfd, dfn * x / whole)
    return inner * dfn * dfd / (whole * whole)


def t_density(df, t):
    logs = -0.5 * (df + 1.0) * np.log1p(t * t / df)
    return np.exp(logs - special.betaln(0.5 * df, 0.5)) / np.sqrt(df)


defufunc(special.chdtr, "v, x", x=lambda g, v, x: g * chi_square_density(v, x))
defufunc(special.chdtrc, "v, x", x=lambda g, v, x: -g * chi_square_density(v, x))
defufunc(special.chdtri, "v, p", p=lambda g, v, out: -g / chi_square_density(v, out))
defufunc(
    special.gdtr,
    "a, b, x",
    a=lambda g, a, b, x: g * x * gamma_density(b, a * x),
    x=lambda g, a, b, x: g * a * gamma_density(b, a * x),
)
defufunc(
    special.gdtrc,
    "a, b, x",
    a=lambda g, a, b, x: -g * x * gamma_density(b, a * x),
    x=lambda g, a, b, x: -g * a * gamma_density(b, a * x),
)
defufunc(
    special.gdtrix,
    "a, b, p",
    a=lambda g, a, out: -g * out / a,
    p=lambda g, a, b, out: g / (a * gamma_density(b, a * out)),
)
defufunc(
    special.gdtria,
    "p, b, x",
    p=lambda g, b, x, out: g / (x * gamma_density(b, out * x)),
    x=lambda g, x, out: -g * out / x,
)
defufunc(
    special.fdtr, "dfn, dfd, x", x=lambda g, dfn, dfd, x: g * f_density(dfn, dfd, x)
)
defufunc(
    special.fdtrc, "dfn, dfd, x", x=lambda g, dfn, dfd, x: -g * f_density(dfn, dfd, x)
)
defufunc(
    special.fdtri,
    "dfn, dfd, p",
    p=lambda g, dfn, dfd, out: g / f_density(dfn, dfd, out),
)
defufunc(special.stdtr, "df, t", t=lambda g, df, t: g * t_density(df, t))
defufunc(special.stdtrit, "df, p", p=lambda g, df, out: g / t_density(df, out))


# ----- The noncentral chi-square distribution -----
def noncentral_density(x, df, nc):
    distance = np.sqrt(x) - np.sqrt(nc)
    bessel = special.ive(0.5 * df - 1.0, np.sqrt(x * nc))
    scale = (x / nc) ** (0.25 * df - 0.5)
    return 0.5 * np.exp(-0.5 * distance * distance) * scale * bessel


def noncentral_in_nc(x, df, nc, at):
    return 0.5 * (special.chndtr(x, df + 2.0, nc) - at)


defufunc(
    special.chndtr,
    "x, df, nc",
    x=lambda g, x, df, nc: g * noncentral_density(x, df, nc),
    nc=lambda g, x, df, nc, out: g * noncentral_in_nc(x, df, nc, out),
)
defufunc(
    special.chndtrix,
    "p, df, nc",
    p=lambda g, df, nc, out: g / noncentral_density(out, df, nc),
    nc=lambda g, p, df, nc, out: (
        -g * noncentral_in_nc(out, df, nc, p) / noncentral_density(out, df, nc)
    ),
)

# ----- Tukey's lambda distribution, the inverse of a difference of powers -----
defufunc(
    special.tklmbda,
    "x, lmbda",
    x=lambda g, lmbda, out: g / (out ** (lmbda - 1.0) + (1.0 - out) ** (lmbda - 1.0)),
)
