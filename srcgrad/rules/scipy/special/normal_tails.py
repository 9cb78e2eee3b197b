"""The tails of the normal distribution, whose slopes are small next to their terms.

``tail_moment(x, n)`` is the mean of ``t ** n`` where ``t > 0`` has the density
``exp(x * t - t * t / 2)``, but for a factor. Its slopes are made of other moments, and
none of them is a difference of nearly equal terms.

>>> round(tail_moment(-1e4, 1).item(), 15)
9.9999998e-05
"""

import math

import numpy as np
from scipy import special

from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.rules.registry import defvjp

SQRT_2PI = math.sqrt(2.0 * math.pi)
NEAR, TERMS = 2.0, 60  # up to where a recurrence is exact, from where on a fraction


def normal_density(x):
    return np.exp(-0.5 * x * x) / SQRT_2PI


@dispatched
def tail_moment(x, n):
    """A moment of a tail to the left, that is, for ``x`` not above 0."""
    size = np.maximum(-x, 0.0)
    near = moment_by_recurrence(np.minimum(size, NEAR), n)
    far = moment_by_fraction(np.maximum(size, NEAR), n)
    return np.where(size < NEAR, near, far)


def moment_by_recurrence(size, n):
    first = math.sqrt(0.5 * math.pi) * special.erfcx(size / math.sqrt(2.0))
    before, here = first, 1.0 - size * first
    for k in range(1, n):
        before, here = here, k * before - size * here
    return here / first


def moment_by_fraction(size, n):
    """By the continued fraction, whose partial ones are the moments' ratios."""
    ratio = 2.0 * TERMS / (size + np.hypot(size, 2.0 * math.sqrt(TERMS)))
    moment = 1.0
    for k in range(TERMS, 0, -1):
        ratio = k / (size + ratio)
        moment = moment * ratio if k <= n else moment
    return moment


defvjp(
    tail_moment,
    x=lambda g, x, n, out: g * (tail_moment(x, n + 1) - out * tail_moment(x, 1)),
)
declare(tail_moment, elementwise=True)


def inverse_mills(x):
    """The slope of ``log_ndtr``: the density over the distribution function."""
    is_left = x < 0
    left, right = np.where(is_left, x, -1.0), np.where(is_left, 0.0, x)
    tail = tail_moment(left, 1) - left
    return np.where(is_left, tail, normal_density(right) / special.ndtr(right))


# ----- Faddeeva's function, far from 0: i / sqrt(pi) / (z - the fraction) -----
FAR, LEVELS = 27.0, 8


def fraction(z, first=1):
    """Where ``fraction(z)`` is small: a half over ``z``, nearly."""
    out = 0.0
    for k in range(LEVELS, first - 1, -1):
        out = 0.5 * k / (z - out)
    return out
