"""Rules for ``scipy.special``: parabolic cylinder functions, by order and argument.

Each comes with its slope in ``x``; the slope of the slope is in the equation. D and V
are made of an even and an odd solution, which are Kummer's functions; where those
cancel in D, it is Tricomi's. W is two power series, whose slopes in ``a`` are also;
they are as exact as SciPy's values.
"""

import math

import numpy as np
from scipy import special

from srcgrad.errors import NoRuleError, located
from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.rules.registry import defconstant
from srcgrad.rules.scipy.precision import doubles
from srcgrad.rules.scipy.special.confluent_second import second_confluent
from srcgrad.rules.scipy.special.gammas import reciprocal_slope
from srcgrad.rules.scipy.special.hypergeometric_parameters import confluent
from srcgrad.rules.scipy.ufuncs import defufunc

SMALL = 1.0
TERMS = 60
FARTHEST = 5.0  # SciPy's W has no digits beyond
LN2 = math.log(2.0)


# ----- Slopes in the order: the even and the odd solution -----
def combined(starts, v, x):
    """The slope by ``v`` of a solution that begins so at 0."""
    y, fall = 0.5 * x * x, np.exp(-0.25 * x * x)
    found = 0.0
    for (start, in_start), power, a, b in zip(
        starts(v), (1.0, x), (-0.5 * v, 0.5 - 0.5 * v), (0.5, 1.5), strict=True
    ):
        in_a = confluent(a, b, y)[0]
        found = found + power * (
            in_start * special.hyp1f1(a, b, y) - 0.5 * start * in_a
        )
    return fall * found


def start_of_d(v):
    """D and its slope at 0, each with its slope in ``v``."""
    root = math.sqrt(math.pi)
    for scale, z in ((1.0, 0.5 - 0.5 * v), (-math.sqrt(2.0), -0.5 * v)):
        power = scale * root * 2.0 ** (0.5 * v)
        value = special.rgamma(z)
        yield power * value, 0.5 * power * (LN2 * value - reciprocal_slope(z))


def start_of_v(v):
    root = math.sqrt(2.0)
    for scale, z, y in (
        (1.0, 1.0 + 0.5 * v, -0.5 * v),
        (root, 0.5 + 0.5 * v, 0.5 - 0.5 * v),
    ):
        power = scale * math.pi * 2.0 ** (-0.5 * v)
        one, two = special.rgamma(z), special.rgamma(y)
        value = one * one * two
        slope = 2.0 * one * two * reciprocal_slope(z) - one**2 * reciprocal_slope(y)
        yield power * value, 0.5 * power * (slope - LN2 * value)


def far_slope(v, x):
    """Of D in ``v``, away from 0 on the side where it falls."""
    y = 0.5 * x * x
    value = special.hyperu(-0.5 * v, 0.5, y)
    slope = LN2 * value - second_confluent(-0.5 * v, 0.5, y)[0]
    return 0.5 * 2.0 ** (0.5 * v) * np.exp(-0.5 * y) * slope


def d_slope(v, x):
    v, x = np.broadcast_arrays(doubles(v), doubles(x))
    is_far = x >= SMALL
    near = combined(start_of_d, *(np.where(is_far, 0.5, each) for each in (v, x)))
    far = far_slope(*(np.where(is_far, each, SMALL) for each in (v, x)))
    return np.where(is_far, far, near)


def d_slopes(v, x):
    """Of ``pbdv`` in ``v``: that of its slope by the next order."""
    value = d_slope(v, x)
    return value, 0.5 * x * value - d_slope(v + 1.0, x)


def v_slopes(v, x):
    """Of ``pbvv`` in ``v``."""
    v, x = np.broadcast_arrays(doubles(v), doubles(x))
    value, following = (combined(start_of_v, v + more, x) for more in (0.0, 1.0))
    rest = special.pbvv(v + 1.0, x)[0] + (v + 1.0) * following
    return value, 0.5 * x * value - rest


# ----- W: two power series -----
@dispatched
def check_near(x):
    if np.any(np.abs(np.asarray(x)) > FARTHEST):
        raise located(
            NoRuleError(
                "srcgrad has no derivative of pbwa by `a` where `x` is beyond "
                f"{FARTHEST}"
            ),
            "SciPy's function is not exact there",
        )
    return np.zeros(())


defconstant(check_near)
declare(check_near, raises=True)


def power_series(a, x, odd):
    """A solution by its series, and its slope in ``x``; their slopes in ``a``."""
    before = before_slope = np.zeros_like(a)
    own, own_slope = np.ones_like(a), np.zeros_like(a)
    scale = x if odd else np.ones_like(x)
    step = np.ones_like(x) if odd else np.zeros_like(x)
    sums = [own * scale, own * step, own_slope, own_slope]
    for n in range(TERMS):
        # The coefficients of x ** (2 n + odd) / (2 n + odd)!, by the equation.
        weight = 0.5 * n * (2 * n + 2 * odd - 1)
        own, before, own_slope, before_slope = (
            a * own - weight * before,
            own,
            own + a * own_slope - weight * before_slope,
            own_slope,
        )
        degree = 2 * n + 2 + odd
        step = scale * x / (degree - 1)
        scale = step * x / degree
        terms = own * scale, own * step, own_slope * scale, own_slope * step
        sums = [each + term for each, term in zip(sums, terms, strict=True)]
    return sums


def start_of_w(a):
    """W and its slope at 0, each with its slope in ``a``."""
    low, high = 0.25 + 0.5j * a, 0.75 + 0.5j * a
    log_ratio = np.real(special.loggamma(low) - special.loggamma(high))
    turn = -0.25 * np.imag(special.digamma(low) - special.digamma(high))
    for scale, sign in ((2.0**-0.75, 1.0), (-(2.0**-0.25), -1.0)):
        value = scale * np.exp(0.5 * sign * log_ratio)
        yield value, sign * turn * value


def w_slopes(a, x):
    """Of ``pbwa`` in ``a``."""
    check_near(x)
    a, x = np.broadcast_arrays(doubles(a), doubles(x))
    even, odd = power_series(a, x, 0), power_series(a, x, 1)
    (value, in_value), (slope, in_slope) = start_of_w(a)
    return tuple(
        in_value * even[i]
        + value * even[i + 2]
        + in_slope * odd[i]
        + slope * odd[i + 2]
        for i in (0, 1)
    )


# ----- The rules -----
def along(curvature):
    def back(g, v, x, out):
        of_value, of_slope = g
        value, slope = out
        return of_value * slope + of_slope * curvature(v, x) * value

    return back


def by_order(slopes):
    def back(g, v, x):
        in_value, in_slope = slopes(v, x)
        return g[0] * in_value + g[1] * in_slope

    return back


for function, slopes in ((special.pbdv, d_slopes), (special.pbvv, v_slopes)):
    rule = along(lambda v, x: 0.25 * x * x - v - 0.5)
    defufunc(function, "v, x", v=by_order(slopes), x=rule)
defufunc(
    special.pbwa,
    "a, x",
    a=lambda g, a, x: by_order(w_slopes)(g, a, x),
    x=lambda g, a, x, out: along(lambda a, x: a - 0.25 * x * x)(g, a, x, out),
)
