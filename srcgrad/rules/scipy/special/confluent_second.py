"""Rules for ``scipy.special``: ``hyperu`` by its parameters.

``gamma(a) * hyperu(a, b, x)`` is the integral of ``exp(-x t) t**(a-1) (1+t)**(b-a-1)``.
On the scale of ``log(t)`` the integrand has one peak, and Gauss's rule between where it
has fallen to nothing is exact to rounding. A small ``a`` is reached from a larger one
by the recurrence, in the direction in which it is stable.
"""

import numpy as np
from scipy import special

from srcgrad.errors import NoRuleError, located
from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.rules.registry import defconstant
from srcgrad.rules.scipy.special.incomplete import DEPTH, NODES, WEIGHTS, halved

# In two halves: there is a bend at 0, besides that at the peak.
PLACES = 0.5 * np.concatenate([NODES, 1.0 + NODES])
SHARES = 0.5 * np.concatenate([WEIGHTS, WEIGHTS])
HALVINGS = 60
MOST_STEPS = 200


@dispatched
def steps_down(a):
    """The numbers of the steps from where ``a`` is 1 at least to the smallest."""
    most = int(np.max(np.ceil(1.0 - np.asarray(a)), initial=0.0))
    if most > MOST_STEPS:
        raise located(
            NoRuleError(
                "srcgrad has no derivative of hyperu by its parameters at so small "
                "an `a`"
            ),
            "it is found in too many steps",
        )
    return np.arange(float(most))


def height(a, b, x, s):
    """The logarithm of the integrand."""
    return a * s - x * np.exp(s) + (b - a - 1.0) * np.logaddexp(0.0, s)


@dispatched
def stretch(a, b, x):
    """The peak of the integrand, and where it begins and ends."""
    with np.errstate(all="ignore"):
        lean = b - 1.0 - x
        both = np.hypot(lean, 2.0 * np.sqrt(a * x))
        peak = np.log(
            np.where(lean > 0, (lean + both) / (2.0 * x), 2.0 * a / (both - lean))
        )
        top = height(a, b, x, peak)
        ends = [peak]
        for sign in (-1.0, 1.0):
            low, high = np.zeros_like(peak), np.ones_like(peak)
            for _ in range(HALVINGS):
                is_near = top - height(a, b, x, peak + sign * high) < DEPTH
                high = np.where(is_near, 2.0 * high, high)
            high = halved(
                lambda s, sign=sign: top - height(a, b, x, peak + sign * s) < DEPTH,
                *(low, high),
            )
            ends.append(peak + sign * high)
    return np.stack(ends)


defconstant(steps_down, stretch)
declare(steps_down, raises=True, shape_by_value=True)
declare(stretch)


def integrated(a, b, x):
    """The function and its slopes by ``a`` and ``b``, where ``a`` is 1 at least."""
    a, b, x = (each[..., None] for each in (a, b, x))
    peak, *ends = stretch(a, b, x)
    top = height(a, b, x, peak)
    sums = [0.0, 0.0, 0.0]
    for end in ends:
        size = end - peak
        s = peak + size * PLACES
        weights = np.abs(size) * SHARES * np.exp(height(a, b, x, s) - top)
        more = np.logaddexp(0.0, s)
        for i, factor in enumerate((1.0, s - more, more)):
            sums[i] = sums[i] + np.sum(weights * factor, axis=-1)
    a = a[..., 0]
    scale = np.exp(top[..., 0] - special.gammaln(a))
    value, in_a, in_b = (scale * each for each in sums)
    return value, in_a - special.digamma(a) * value, in_b


def second_confluent(a, b, x):
    """By ``a`` and ``b``."""
    a, b, x = np.broadcast_arrays(a, b, x)
    is_known = (x > 0) & (x < np.inf) & np.isfinite(a) & np.isfinite(b)
    place = [np.where(is_known, each, 1.0) for each in (a, b, x)]
    a, b, x = place
    steps = np.maximum(np.ceil(1.0 - a), 0.0)
    upper, lower = (integrated(a + steps + more, b, x) for more in (1.0, 0.0))
    for k in range(len(steps_down(a))):
        is_left = steps > k
        at = a + steps - 1.0 - k
        first, second = x + 2.0 * (at + 1.0) - b, (at + 1.0) * (at + 2.0 - b)
        value = first * lower[0] - second * upper[0]
        in_a = first * lower[1] - second * upper[1] + 2.0 * lower[0]
        in_a = in_a - (2.0 * at + 3.0 - b) * upper[0]
        in_b = first * lower[2] - second * upper[2] - lower[0] + (at + 1.0) * upper[0]
        upper = [np.where(is_left, *pair) for pair in zip(lower, upper, strict=True)]
        lower = [
            np.where(is_left, *pair)
            for pair in zip((value, in_a, in_b), lower, strict=True)
        ]
    return [np.where(is_known, each, np.nan) for each in lower[1:]]
