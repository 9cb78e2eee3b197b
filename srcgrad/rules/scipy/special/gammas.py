"""Rules for ``scipy.special``: gamma, beta and zeta, their logarithms."""

import math

import numpy as np
from scipy import special

from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.rules.complexes import conj, is_complex
from srcgrad.rules.libraries import reaching
from srcgrad.rules.registry import defconstant, defvjp
from srcgrad.rules.scipy.precision import doubles
from srcgrad.rules.scipy.scipy_sources import as_in_scipy
from srcgrad.rules.scipy.ufuncs import defufunc

zeta = reaching(special.zeta)
polygamma = reaching(special.polygamma)

# ----- Gamma -----

# Bernoulli's numbers B2, B4, ...: the asymptotic series of trigamma.
BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)


def trigamma(z):
    """The derivative of digamma. SciPy has none for complex numbers."""
    return complex_trigamma(z) if is_complex(z) else zeta(2.0, z)


def complex_trigamma(z):
    """From its asymptotic series, far enough to the right, where all its steps lead."""
    left = np.real(z) < 0.5
    mirrored = np.where(left, 1.0 - z, z)
    out = 0.0
    for _ in range(15):
        out = out + 1.0 / (mirrored * mirrored)
        mirrored = mirrored + 1.0
    power = square = 1.0 / (mirrored * mirrored)
    out = out + 1.0 / mirrored + 0.5 * square
    for number in BERNOULLI:
        out = out + number * power / mirrored
        power = power * square
    # Environment its own half the reflection's sine would overflow.
    sine = np.sin(np.pi * np.where(left, z, 0.5))
    return np.where(left, (np.pi / sine) ** 2 - out, out)


def reciprocal_slope(z):
    """The slope of ``rgamma``; to the left that of ``sin(pi z) gamma(1 - z) / pi``."""
    is_left = np.real(z) < 0.5
    right, left = np.where(is_left, 1.0, z), np.where(is_left, z, 0.0)
    usual = -special.rgamma(right) * special.digamma(right)
    whole = np.round(np.real(left))
    sine, cosine = np.sin(np.pi * (left - whole)), np.cos(np.pi * (left - whole))
    mirrored = cosine - sine / np.pi * special.digamma(1.0 - left)
    mirrored = np.cos(np.pi * whole) * special.gamma(1.0 - left) * mirrored
    return np.where(is_left, mirrored, usual)


defufunc(special.gamma, "z", z=lambda g, z, out: g * conj(out * special.digamma(z)))
defufunc(special.gammaln, "x", x=lambda g, x: g * special.digamma(x))
defufunc(special.loggamma, "z", z=lambda g, z: g * conj(special.digamma(z)))
defufunc(special.rgamma, "z", z=lambda g, z: g * conj(reciprocal_slope(z)))
defufunc(special.digamma, "z", z=lambda g, z: g * conj(trigamma(z)))
defconstant(special.gammasgn)
defvjp(special.polygamma, x=lambda g, n, x: g * polygamma(np.add(n, 1), x))


as_in_scipy(special, "multigammaln")

# ----- Beta, binomials -----


def beta_share(a, b):
    return special.digamma(a) - special.digamma(a + b)


defufunc(
    special.beta,
    "a, b",
    a=lambda g, a, b, out: g * out * beta_share(a, b),
    b=lambda g, a, b, out: g * out * beta_share(b, a),
)
defufunc(
    special.betaln,
    "a, b",
    a=lambda g, a, b: g * beta_share(a, b),
    b=lambda g, a, b: g * beta_share(b, a),
)


def by_factorial(x, k, out):
    """The slope of a binomial by ``k!`` below, at its poles too."""
    is_pole = (k < 0) & (k == np.round(k))
    before = np.where(is_pole, -k - 1.0, 0.0)
    usual = -out * special.digamma(np.where(is_pole, 0.0, k) + 1.0)
    return np.where(is_pole, slope_at_pole(x, before), usual)


@dispatched
def slope_at_pole(x, before):
    """The slope where ``k!`` is infinite, ``before`` being ``-1 - k``."""
    return np.cos(np.pi * before) * special.beta(x + 1.0, before + 1.0)


def unknown(g):
    return g * np.where(np.equal(g, 0.0), 0.0, np.nan)


defvjp(slope_at_pole, x=lambda g: unknown(g), before=lambda g: unknown(g))
declare(slope_at_pole)
defufunc(
    special.binom,
    "x, y",
    x=lambda g, x, y, out: (
        g * (out * special.digamma(x + 1.0) + by_factorial(x, x - y, out))
    ),
    y=lambda g, x, y, out: g * (by_factorial(x, y, out) - by_factorial(x, x - y, out)),
)
defufunc(
    special.poch,
    "z, m",
    z=lambda g, z, m, out: g * out * (special.digamma(z + m) - special.digamma(z)),
    m=lambda g, z, m, out: g * out * special.digamma(z + m),
)

# ----- Zeta -----
FAR = 12  # how many terms are summed one by one, before those of a series
SERIES = [b / math.factorial(2 * j) for j, b in enumerate(BERNOULLI, start=1)]


def zeta_in_x(x, q):
    """By the formula of Euler and Maclaurin; nan where the series starts to cancel."""
    x, q = doubles(x), doubles(q)
    each = np.expand_dims(np.add(q, np.zeros(np.shape(x))), -1) + np.arange(FAR)
    terms = np.expand_dims(x, -1)
    out = -np.sum(each ** (-terms) * np.log(each), axis=-1)
    far = np.add(q, FAR)
    log, power = np.log(far), far ** (-x)
    out = out - power * (far / (x - 1.0) * (log + 1.0 / (x - 1.0)) + 0.5 * log)
    rising, logs = x, 1.0 / x  # x (x + 1) ..., and the slope of its logarithm
    power = power / far
    for j, coefficient in enumerate(SERIES):
        out = out + coefficient * rising * power * (logs - log)
        for i in (2 * j + 1, 2 * j + 2):
            rising, logs = rising * (x + i), logs + 1.0 / (x + i)
        power = power / (far * far)
    return np.where(np.real(x) > 0, out, np.nan)


def zeta_back(g, x, q):
    return g * conj(zeta_in_x(x, 1.0 if q is None else q))


defvjp(special.zeta, x=zeta_back, q=lambda g, x, q: -g * x * zeta(x + 1.0, q))
# What it calls, on Variables too.
defufunc(
    special._ufuncs._zeta,
    "x, q",
    x=zeta_back,
    q=lambda g, x, q: -g * x * zeta(x + 1.0, q),
)
defufunc(special._ufuncs._riemann_zeta, "x", x=lambda g, x: zeta_back(g, x, None))
defufunc(special.zetac, "x", x=lambda g, x: g * zeta_in_x(x, 1.0))
