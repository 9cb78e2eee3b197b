"""Rules for ``scipy.special``: J, Y, I and Hankel's functions by their order.

At ``x > 0`` each is an integral or a series, whose slope in the order is one of the
same kind. Schläfli's integrals (DLMF 10.9.6, 10.9.7) are exact to rounding beside 1, so
Y is found by them, and J where it oscillates. Where J is small, ``x`` below its order,
it is a series, or the integral on the path of steepest descent (10.9.17), along which
``x sinh(t) - v t`` is real: neither has terms that cancel. Others are reflected.
"""

import math

import numpy as np
from scipy import special

from srcgrad.errors import NoRuleError, located
from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.rules.complexes import is_complex
from srcgrad.rules.registry import defconstant
from srcgrad.rules.scipy.special.incomplete import DEPTH, NODES, WEIGHTS, halved, root
from srcgrad.rules.scipy.special.orders import scaled_slope

LONGEST = 20_000
TERMS = 60
_nodes, _weights = np.polynomial.legendre.leggauss(16)
FEW_NODES, FEW_WEIGHTS = 0.5 * (_nodes + 1.0), 0.5 * _weights
# Stretches of (0, pi) that get shorter towards 0, where the steepest path may bend.
EDGES = np.concatenate([[0.0], 10.0 ** np.arange(-6.0, 0.0), [0.3, 0.6, 1.0]])
PATH = np.concatenate(
    [low + size * FEW_NODES for low, size in zip(EDGES, np.diff(EDGES), strict=False)]
)
PATH_WEIGHTS = np.concatenate([size * FEW_WEIGHTS for size in np.diff(EDGES)])


def too_large():
    raise located(
        NoRuleError(
            "srcgrad has no derivative of a Bessel function by so large an order "
            "`v`, or at so large a `z`"
        ),
        "it is a sum of too many terms",
    )


# ----- Schläfli's integrals -----
@dispatched
def waves(v, x):
    """Nodes and weights on (0, pi), enough for all oscillations."""
    both = np.asarray(v + x)
    most = np.max(both[np.isfinite(both)], initial=0.0)
    if most > LONGEST:
        too_large()
    count = int(most / 6.0) + 4
    size = math.pi / count
    nodes = (np.arange(count)[:, None] + FEW_NODES) * size
    return np.ravel(nodes), np.ravel(np.broadcast_to(FEW_WEIGHTS * size, nodes.shape))


@dispatched
def tails(v, x):
    """How far to integrate ``exp(-x sinh(t) - v t)``; and with ``+ v t``: its peak,
    and how far to both sides of it."""
    with np.errstate(all="ignore"):
        falling = root(
            lambda d: x * np.sinh(d) + v * d,
            lambda d: x * np.cosh(d) + v,
            np.minimum(DEPTH / (x + v), np.arcsinh(DEPTH / x)),
        )
        cosh = np.maximum(v / x, 1.0)
        peak = np.arccosh(cosh)
        sinh = np.sinh(peak)

        def fall(d):  # from the peak, with care for small ones
            half = np.sinh(0.5 * d)
            return x * (2.0 * sinh * half * half + cosh * np.sinh(d)) - v * d

        farthest = np.arcsinh(2.0 * (DEPTH + v) / x) + 2.0
        none = np.zeros_like(x)
        right = halved(lambda d: fall(d) < DEPTH, none, farthest)
        left = halved(lambda d: fall(-d) < DEPTH, none, peak)
    return np.stack([falling, peak, right, left])


def falling_integrals(v, x):
    """Of ``exp(-x sinh(t) - v t)``, and times ``t``."""
    reach = tails(v, x)[0]
    t = reach * NODES
    terms = reach * WEIGHTS * np.exp(-x * np.sinh(t) - v * t)
    return np.sum(terms, axis=-1), np.sum(terms * t, axis=-1)


def rising_integral(v, x):
    """Of ``t exp(v t - x sinh(t))``."""
    _, peak, right, left = tails(v, x)
    total = 0.0
    for size in (right, -left):
        t = peak + size * NODES
        terms = t * np.exp(v * t - x * np.sinh(t))
        total = total + np.sum(np.abs(size) * WEIGHTS * terms, axis=-1)
    return total


def schlaefli_j(v, x):
    nodes, weights = waves(v, x)
    turning = np.sum(weights * nodes * np.sin(v * nodes - x * np.sin(nodes)), axis=-1)
    plain, by_t = falling_integrals(v, x)
    turn = math.pi * v[..., 0]
    return (np.sin(turn) * by_t - turning) / math.pi - np.cos(turn) * plain


def y_slope(v, x):
    """Of ``yv`` in ``v``, which is not below 0."""
    nodes, weights = waves(v, x)
    turning = np.sum(weights * nodes * np.cos(x * np.sin(nodes) - v * nodes), axis=-1)
    plain, by_t = falling_integrals(v, x)
    turn = math.pi * v[..., 0]
    rest = rising_integral(v, x) - np.cos(turn) * by_t
    return np.sin(turn) * plain - (turning + rest) / math.pi


# ----- Where J is small -----
def terms_of(k, v, x, fall=0.0):
    """Slopes of those of I's power series, over the exponential of ``fall``."""
    half, order = np.log(0.5 * x), k + v + 1.0
    logs = (order + k - 1.0) * half - special.gammaln(k + 1.0) - special.gammaln(order)
    return np.exp(logs - fall) * (half - special.digamma(order))


def series(v, x):
    """Of J, by few terms of its power series."""
    k = np.arange(float(TERMS))
    return np.sum((-1.0) ** k * terms_of(k, v, x), axis=-1)


def steepest(v, x):
    """Of J, by its path of steepest descent from ``arccosh(v / x)`` on."""
    theta = math.pi * PATH
    cosh = v / x
    sinh = np.sqrt((cosh - 1.0) * (cosh + 1.0))
    rise = cosh * (theta - np.sin(theta)) / np.sin(theta)
    more = rise * (2.0 * cosh + rise)
    on_path = np.sqrt(sinh * sinh + more)
    step = np.log1p((rise + more / (on_path + sinh)) / (cosh + sinh))
    start = np.log(cosh + sinh)
    slope = (
        cosh * (np.sin(theta) - theta * np.cos(theta)) / np.sin(theta) ** 2 / on_path
    )
    half, half_turn = np.sinh(0.5 * step), np.sin(0.5 * theta)
    height = 2.0 * sinh * half * half + cosh * (np.sinh(step) - step)
    height = x * (height - 2.0 * on_path * half_turn * half_turn)
    terms = np.exp(height + x * sinh - v * start) * (start + step + theta * slope)
    return -np.sum(PATH_WEIGHTS * terms, axis=-1)


def j_slope(v, x):
    """Of ``jv`` in ``v``, which is not below 0."""
    has_few_terms = x * x <= 8.0 * (v + 1.0)
    is_small = v > x
    waving = np.where(has_few_terms | is_small, 1.0, x)
    by_waves = schlaefli_j(np.where(has_few_terms | is_small, 0.0, v), waving)
    by_terms = series(v, np.where(has_few_terms, x, 1.0))
    takes_path = is_small & np.logical_not(has_few_terms)
    by_path = steepest(np.where(takes_path, v, 2.0), np.where(takes_path, x, 1.0))
    rest = np.where(is_small[..., 0], by_path, by_waves)
    return np.where(has_few_terms[..., 0], by_terms, rest)


# ----- I, whose terms are all above 0 -----
@dispatched
def counts(v, x):
    """Of the terms that matter."""
    peak = np.asarray(0.5 * (np.sqrt(v * v + x * x) - v))
    known = peak[np.isfinite(peak)]
    low, high = np.min(known, initial=np.inf), np.max(known, initial=0.0)
    low = max(min(low, high) - 9.0 * math.sqrt(min(low, high)) - 40.0, 0.0)
    high = high + 9.0 * math.sqrt(high) + 40.0
    if high - low > LONGEST:
        too_large()
    return np.arange(np.floor(low), np.ceil(high))


def i_slope(v, x):
    """Of ``ive`` in ``v``, which is not below 0."""
    return np.sum(terms_of(counts(v, x), v, x, x), axis=-1)


for _constant in (waves, tails, counts):
    defconstant(_constant)
    declare(_constant, raises=True, shape_by_value=_constant is not tails)


# ----- Orders of either sign, and arguments that are none -----
class Reference:
    """The order without its sign, the argument, and where there is a slope."""

    def __init__(self, name, v, z):
        if is_complex(z):
            raise NotImplementedError(
                f"srcgrad has a derivative of {name} by its order `v` at real `z` only"
            )
        v, x = np.broadcast_arrays(v, z)
        self.v, self.is_known = v, (x > 0) & (x < np.inf) & np.isfinite(v)
        self.is_reflected = v < 0
        # J and I are 0 at 0, and all but I at infinity.
        is_zero = (x == np.inf) | ((x == 0) & (v > 0) & (name in ("jv", "iv")))
        self.outside = np.where(is_zero, 0.0, np.nan)
        self.size = np.abs(np.where(self.is_known, v, 1.0))
        self.x = np.where(self.is_known, x, 1.0)
        self.columns = self.size[..., None], self.x[..., None]
        self.turn = math.pi * self.size
        self.sine, self.cosine = np.sin(self.turn), np.cos(self.turn)

    def result(self, slope, reflected):
        """A slope by the order, given that by the order's size where that is turned."""
        found = np.where(self.is_reflected, -reflected, slope)
        return np.where(self.is_known, found, self.outside)


def jv_in_v(v, z):
    place = Reference("jv", v, z)
    return place.result(j_slope(*place.columns), turned_slopes(place)[0])


def yv_in_v(v, z):
    place = Reference("yv", v, z)
    return place.result(y_slope(*place.columns), turned_slopes(place)[1])


def turned_slopes(place):
    """Of J and Y of the order below 0, by its size."""
    j, y = special.jv(place.size, place.x), special.yv(place.size, place.x)
    of_j, of_y = j_slope(*place.columns), y_slope(*place.columns)
    cosine, sine = place.cosine, place.sine
    return (
        cosine * of_j - sine * of_y - math.pi * (sine * j + cosine * y),
        sine * of_j + cosine * of_y + math.pi * (cosine * j - sine * y),
    )


def hankel_in_v(sign, v, z):
    return jv_in_v(v, z) + (1j * sign) * yv_in_v(v, z)


def ive_in_v(v, z):
    place = Reference("iv", v, z)
    slope = i_slope(*place.columns)
    fall = (2.0 / math.pi) * np.exp(-2.0 * place.x)
    of_k = special.kve(place.size, place.x)
    rest = math.pi * place.cosine * of_k + place.sine * scaled_slope(
        place.size, place.x
    )
    return place.result(slope, slope + fall * rest)


# ----- besselpoly: the series of J, integrated -----
def weighted_terms(a, order, k):
    """Of ``jv(order, 2 a)``, and the logarithm in their slopes."""
    half = np.log(a)
    logs = (2.0 * k + order) * half - special.gammaln(k + 1.0)
    sign = np.where(np.remainder(k, 2.0) == 0, 1.0, -1.0)
    return sign * np.exp(logs) * special.rgamma(order + k + 1.0), half


@dispatched
def check_integral(a, order):
    with np.errstate(all="ignore"):
        terms = weighted_terms(a, order, np.arange(float(TERMS)))[0]
        whole, largest = np.sum(terms, axis=-1), np.max(np.abs(terms), axis=-1)
    if np.any(np.isfinite(whole) & (largest > 1e5)):
        too_large()
    return np.zeros(())


defconstant(check_integral)
declare(check_integral, raises=True)


def integral_slopes(a, power, order):
    """By ``power`` and ``order``, at ``a`` above 0 and orders above -1."""
    a, power, order = np.broadcast_arrays(a, power, order)
    is_known = (a > 0) & (order > -1) & (power + order > -1)
    given = (np.where(is_known, each, 1.0)[..., None] for each in (a, power, order))
    a, power, order = given
    check_integral(a, order)
    k = np.arange(float(TERMS))
    terms, half = weighted_terms(a, order, k)
    below = power + order + 2.0 * k + 1.0
    in_power = -np.sum(terms / below**2, axis=-1)
    rest = half - special.digamma(order + k + 1.0)
    in_order = in_power + np.sum(terms / below * rest, axis=-1)
    return [np.where(is_known, each, np.nan) for each in (in_power, in_order)]
