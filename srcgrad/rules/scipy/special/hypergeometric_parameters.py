"""Rules for ``scipy.special``: hypergeometric functions by their parameters.

The slope of a term in a parameter is the term times a sum of reciprocals. Where the
terms would cancel, Kummer's and Pfaff's transformations lead to a series that does not;
what is left is refused. At whole upper parameters below 1 the terms end, but not those
of the slope.
"""

import numpy as np
from scipy import special

from srcgrad.errors import NoRuleError, located
from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.rules.complexes import is_complex
from srcgrad.rules.registry import defconstant

LONGEST = 2000
TINY, LOSS = 1e-19, 1e4


def check(name, z):
    if is_complex(z):
        raise NotImplementedError(
            f"srcgrad has a derivative of {name} by its parameters at real ones only"
        )


def too_slow(name):
    raise located(
        NoRuleError(f"srcgrad has no derivative of {name} by its parameters there"),
        "its terms are too many, too large, or cancel",
    )


def product(factors):
    """The factors but 0, and how often of the product before each, and its slope.

    A factor that is 0 is set aside: what it makes of the product may yet have a slope.
    """
    is_zero = factors == 0
    rest = np.where(is_zero, 1.0, factors)
    parts = 1.0 / rest * np.where(is_zero, 0.0, 1.0)
    total = np.cumsum(parts, axis=-1) - parts
    has_zero = np.cumsum(is_zero, axis=-1) - is_zero > 0
    zeros = np.where(is_zero, factors, 0.0)
    left = np.where(has_zero, np.cumsum(zeros, axis=-1) - zeros, 1.0)
    return rest, left, np.where(has_zero, 1.0, 0.0) + left * total


def terms(top, bottom, z, k):
    """Of the series, and of its slope in each parameter."""
    steps, factors = z / (k + 1.0), [product(each + k) for each in top]
    for rest, _, _ in factors:
        steps = steps * rest
    below = [np.where(each + k == 0, np.nan, each + k) for each in bottom]
    for each in below:
        steps = steps / each
    first = np.ones((*np.shape(steps)[:-1], 1))
    common = np.concatenate([first, np.cumprod(steps[..., :-1], axis=-1)], axis=-1)
    own = common
    for _, left, _ in factors:
        own = own * left
    yield own
    for number, (_, _, slope) in enumerate(factors):
        found = common * slope
        for other, (_, left, _) in enumerate(factors):
            found = found if other == number else found * left
        yield found
    for each in below:
        parts = 1.0 / each
        yield -own * (np.cumsum(parts, axis=-1) - parts)


@dispatched
def enough(name, top, bottom, z):
    """The numbers of as many terms as matter; those of nan do not count."""
    for count in (200, LONGEST):
        with np.errstate(all="ignore"):
            k = np.arange(float(count))
            found = np.stack([*terms(top, bottom, z, k)])
            sizes = np.abs(found)
            largest = np.maximum(np.max(sizes, axis=-1), 1.0)
            whole = np.max(np.abs(np.sum(found, axis=-1)), axis=0)
            is_known = np.isfinite(sum(top, z * 0.0) + sum(bottom))[..., 0]
            matters = np.any(sizes > TINY * largest[..., None], axis=0)
            is_fit = np.isfinite(whole) & (largest[0] <= LOSS * whole)
        last = int(np.max(np.where(matters & is_known[..., None], k, 0.0), initial=0.0))
        if last + 2 < count - 100:
            break
    if last + 2 > count - 100 or np.any(is_known & np.logical_not(is_fit)):
        too_slow(name)
    return k[: last + 3]


defconstant(enough)
declare(enough, raises=True, shape_by_value=True)


def columns(*arrays):
    return [each[..., None] for each in np.broadcast_arrays(*arrays)]


def slopes(name, top, bottom, z):
    """Of the series, by each of its parameters."""
    *both, z = columns(*top, *bottom, z)
    top, bottom = both[: len(top)], both[len(top) :]
    k = enough(name, top, bottom, z)
    _, *found = terms(top, bottom, z, k)
    for each in found:
        yield np.where(np.isfinite(z[..., 0]), np.sum(each, axis=-1), np.nan)


# ----- hyp0f1, hyp1f1: on the side where the terms have one sign -----
def confluent_limit(v, z):
    check("hyp0f1", z)
    (slope,) = slopes("hyp0f1", (), (v,), z)
    return slope


def confluent(a, b, x):
    """By ``a`` and ``b``."""
    check("hyp1f1", x)
    is_below = np.less(x, 0)
    first = np.where(is_below, b - a, a)
    by_first, by_b = slopes("hyp1f1", (first,), (b,), np.abs(x))
    scale = np.where(is_below, np.exp(np.minimum(x, 0.0)), 1.0)
    in_a = np.where(is_below, -by_first, by_first) * scale
    return in_a, np.where(is_below, by_first + by_b, by_b) * scale


# ----- hyp2f1: below 0 by Pfaff's transformation -----
def gauss(a, b, c, z):
    """By ``a``, ``b`` and ``c``."""
    check("hyp2f1", z)
    is_below = np.less(z, 0)
    below = np.where(is_below, z, 0.0)
    second = np.where(is_below, c - b, b)
    place = np.where(is_below, below / (below - 1.0), z)
    by_a, by_second, by_c = slopes("hyp2f1", (a, second), (c,), place)
    scale, log_scale = (1.0 - below) ** -a, -np.log1p(-below)
    own = special.hyp2f1(a, b, c, z) * log_scale
    in_a = own + scale * by_a
    in_b = np.where(is_below, -by_second, by_second) * scale
    in_c = np.where(is_below, by_second + by_c, by_c) * scale
    return in_a, in_b, in_c


# ----- Wright's Bessel function -----
@dispatched
def wright_counts(a, b, x):
    k = np.arange(float(LONGEST))
    with np.errstate(all="ignore"):
        logs = (
            special.xlogy(k, x) - special.gammaln(k + 1.0) - special.gammaln(a * k + b)
        )
    logs = np.where(np.isnan(logs), -np.inf, logs)
    largest = np.max(logs, axis=-1, keepdims=True)
    is_inside = (logs > largest - 45.0) & np.isfinite(largest)
    last = int(np.max(np.where(is_inside, k, 0.0), initial=0.0)) + 2
    if last > LONGEST - 100:
        too_slow("wright_bessel")
    return k[: last + 1]


defconstant(wright_counts)
declare(wright_counts, raises=True, shape_by_value=True)


def wright(a, b, x, log_scale=0.0):
    """By ``a`` and ``b``, over a number with that logarithm."""
    a, b, x, log_scale = columns(a, b, x, log_scale)
    k = wright_counts(a, b, x)
    order = a * k + b
    is_pole = order == 0
    safe = np.where(is_pole, 1.0, order)
    logs = special.xlogy(k, x) - special.gammaln(k + 1.0) - log_scale
    # At a pole of gamma's the slope of 1 / gamma is 1.
    fall = special.digamma(safe) * np.exp(logs - special.gammaln(safe))
    fall = np.where(is_pole, -np.exp(logs), fall)
    return -np.sum(k * fall, axis=-1), -np.sum(fall, axis=-1)
