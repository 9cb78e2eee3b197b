"""Rules for ``scipy.special``: the incomplete integrals of gamma and beta.

By the end of the integral the slope is the integrand. By the shape parameters it is
an integral itself, of the integrand times a logarithm. On a scale where the integrand
is a power at one end (its logarithm, or log-odds), its logarithm is concave. So from
the end of the integral towards the side without the peak it falls faster and faster,
and Gauss's rule over the stretch in which it falls to ``exp(-DEPTH)`` of itself is
exact to rounding. The integral over all is 0, so either side will do.
"""

import numpy as np
from scipy import special

from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.rules.registry import defconstant, defvjp
from srcgrad.rules.scipy.special.searches import definverse, defslopes

DEPTH = 45.0
STEPS = 60
_nodes, _weights = np.polynomial.legendre.leggauss(64)
NODES, WEIGHTS = 0.5 * (_nodes + 1.0), 0.5 * _weights


# ----- The integrands: their slopes have the power one lower, of their own -----
@dispatched
def gamma_density(a, x):
    """The integrand of ``gammainc``."""
    with np.errstate(all="ignore"):
        logs = special.xlogy(a - 1.0, x) - x - special.gammaln(a)
    return np.where(is_pole(a), 0.0, special.gammasgn(a) * np.exp(logs))


def is_pole(a):
    return np.less_equal(a, 0.0) & (a == np.floor(a))


def gamma_density_in_x(a, x, out):
    is_start = np.equal(x, 0.0)
    is_left = (x < a - 1.0) & ((a >= 1.5) | is_start)
    power = np.where(is_left, a - 1.0, 1.0)
    lower = gamma_density(power, x) * (1.0 - x / power)
    return np.where(
        is_left, lower, out * ((a - 1.0) / np.where(is_start, 1.0, x) - 1.0)
    )


defvjp(
    gamma_density,
    a=lambda g, a, x, out: g * (special.xlogy(out, x) - out * special.digamma(a)),
    x=lambda g, a, x, out: g * gamma_density_in_x(a, x, out),
)


@dispatched
def beta_density(a, b, x):
    """The integrand of ``betainc``."""
    with np.errstate(all="ignore"):
        logs = special.xlogy(a - 1.0, x) + special.xlog1py(b - 1.0, -x)
        value = np.exp(logs - special.betaln(a, b))
    signs = special.gammasgn(a) * special.gammasgn(b) * special.gammasgn(a + b)
    return np.where(is_pole(a) | is_pole(b), 0.0, signs * value)


def beta_density_in_x(a, b, x, out):
    is_start, is_end = np.equal(x, 0.0), np.equal(x, 1.0)
    fall = (b - 1.0) / np.where(is_end, 1.0, 1.0 - x)
    rise = (a - 1.0) / np.where(is_start, 1.0, x)
    is_left = (x < 0.5) & (rise > fall) & (a >= 1.5) | is_start & (a > 1.0)
    is_right = is_end & (b > 1.0)
    first, last = np.where(is_left, a - 1.0, 1.0), np.where(is_right, b - 1.0, 1.0)
    left = beta_density(first, b, x) * (1.0 - x * fall / first)
    right = beta_density(a, last, x) * ((1.0 - x) * rise / last - 1.0)
    usual = out * (rise - fall)
    lower = np.where(is_left, left, right) * (a + b - 1.0)
    return np.where(is_left | is_right, lower, usual)


def beta_density_in_a(a, b, out, logs):
    return logs - out * (special.digamma(a) - special.digamma(a + b))


defvjp(
    beta_density,
    a=lambda g, a, b, x, out: g * beta_density_in_a(a, b, out, special.xlogy(out, x)),
    b=lambda g, a, b, x, out: (
        g * beta_density_in_a(b, a, out, special.xlog1py(out, -x))
    ),
    x=lambda g, a, b, x, out: g * beta_density_in_x(a, b, x, out),
)
for _density in (gamma_density, beta_density):
    declare(_density, elementwise=True)


# ----- How far there is anything to integrate -----
def root(fall, slope, start):
    """Where a convex function is ``DEPTH``, by Newton's method from above."""
    d = start
    for _ in range(STEPS):
        d = d - (fall(d) - DEPTH) / slope(d)
    return d


def halved(is_low, low, high, steps=60):
    """Where a condition that holds at ``low`` ends, by bisection."""
    for _ in range(steps):
        middle = 0.5 * (low + high)
        is_there = is_low(middle)
        low, high = np.where(is_there, middle, low), np.where(is_there, high, middle)
    return high


@dispatched
def gamma_reach(a, x):
    """The stretch to integrate over from ``log(x)``: below 0 if it is to the left."""
    with np.errstate(all="ignore"):
        left = root(
            lambda d: a * d + x * np.expm1(-d),
            lambda d: a - x * np.exp(-d),
            (DEPTH + x) / a,
        )
        right = root(
            lambda d: x * np.expm1(d) - a * d,
            lambda d: x * np.exp(d) - a,
            np.minimum(np.sqrt(2.0 * DEPTH / x), np.log(2.0 * (DEPTH / x + 1.0))),
        )
        return np.where(x <= a, -left, right)


def left_reach(a, b, u):
    """The same for ``betainc``, to the left of the log-odds ``u``."""
    height = a * special.log_expit(u) + b * special.log_expit(-u)
    return root(
        lambda d: height - a * special.log_expit(u - d) - b * special.log_expit(d - u),
        lambda d: a * special.expit(d - u) - b * special.expit(u - d),
        (DEPTH - (a + b) * special.log_expit(-u)) / a,
    )


@dispatched
def beta_reach(a, b, u):
    with np.errstate(all="ignore"):
        left, right = left_reach(a, b, u), left_reach(b, a, -u)
        return np.where(u <= np.log(a / b), -left, right)


defconstant(gamma_reach, beta_reach)
for _reach in (gamma_reach, beta_reach):
    declare(_reach, elementwise=True)


# ----- Slopes by the shape parameters -----
def columns(*arrays):
    return [np.expand_dims(x, -1) for x in np.broadcast_arrays(*arrays)]


def gamma_in_a(a, x):
    """The slope of ``gammainc`` in ``a``; where that is small, with the one above."""
    is_inside, at_ends = np.logical_and(x > 0, x < np.inf), x >= 0
    a, x = columns(a, np.where(is_inside, x, 1.0))
    is_small = a < 1
    shifted, log_x = a + is_small, np.log(x)
    reach = gamma_reach(shifted, x)
    u = log_x + reach * NODES
    density = np.exp(shifted * u - np.exp(u) - special.gammaln(shifted))
    integrand = density * (u - special.digamma(shifted))
    step = np.exp(a * log_x - x - special.gammaln(a + 1.0))
    step = is_small * step * (log_x - special.digamma(a + 1.0))
    slope = step[..., 0] - np.sum(reach * WEIGHTS * integrand, axis=-1)
    return np.where(is_inside, slope, np.where(at_ends, 0.0, np.nan))


def beta_slopes(a, b, x):
    """The slopes of ``betainc`` in ``a`` and ``b``, likewise."""
    is_inside = np.logical_and(x > 0, x < 1)
    at_ends = np.logical_and(x >= 0, x <= 1)
    a, b, x = columns(a, b, np.where(is_inside, x, 0.5))
    is_small = np.logical_or(a < 1, b < 1)
    log_low, log_high = np.log(x), np.log1p(-x)
    reach = beta_reach(a + is_small, b + is_small, log_low - log_high)
    u = log_low - log_high + reach * NODES
    low, high = special.log_expit(u), special.log_expit(-u)
    # What the integral has more than that of a + 1 and b + 1.
    share = np.exp(a * log_low + b * log_high - special.betaln(a, b)) / (a * b)
    step = is_small * share * (b - x * (a + b))
    of_both = special.digamma(a + b)
    in_a = step * (log_low - special.digamma(a + 1.0) + of_both) - is_small * share * x
    in_b = step * (log_high - special.digamma(b + 1.0) + of_both)
    in_b = in_b + is_small * share * (1.0 - x)
    a, b = a + is_small, b + is_small
    weights = reach * WEIGHTS * np.exp(a * low + b * high - special.betaln(a, b))
    of_both = special.digamma(a + b)
    for slope, logs, c in ((in_a, low, a), (in_b, high, b)):
        inner = np.sum(weights * (logs - special.digamma(c) + of_both), axis=-1)
        slope = slope[..., 0] - inner
        yield np.where(is_inside, slope, np.where(at_ends, 0.0, np.nan))


def beta_in_a(a, b, x):
    in_a, _ = beta_slopes(a, b, x)
    return in_a


def beta_in_b(a, b, x):
    _, in_b = beta_slopes(a, b, x)
    return in_b


# ----- The rules -----
GAMMA = {"a": gamma_in_a, "x": gamma_density}
defslopes(special.gammainc, GAMMA)
defslopes(special.gammaincc, GAMMA, -1.0)
definverse(special.gammaincinv, "a, y", GAMMA, "x", "y")
definverse(special.gammainccinv, "a, y", GAMMA, "x", "y", -1.0)

BETA = {"a": beta_in_a, "b": beta_in_b, "x": beta_density}
defslopes(special.betainc, BETA)
defslopes(special.betaincc, BETA, -1.0)
definverse(special.betaincinv, "a, b, y", BETA, "x", "y")
definverse(special.betainccinv, "a, b, y", BETA, "x", "y", -1.0)
definverse(special.btdtria, "p, b, x", BETA, "a")
definverse(special.btdtrib, "a, p, x", BETA, "b")
