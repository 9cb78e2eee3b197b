"""Rules for ``scipy.special``: Struve's functions by their order.

Each is a series in which the slope of a term is the term times a logarithm less a
digamma. Those of H cancel at a large argument; there H is Y and an integral
(DLMF 11.5.2), whose slope is one of the same kind.
"""

import math

import numpy as np
from scipy import special

from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.rules.registry import defconstant
from srcgrad.rules.scipy.special.bessel_orders import counts, too_large, yv_in_v
from srcgrad.rules.scipy.special.gammas import reciprocal_slope
from srcgrad.rules.scipy.special.incomplete import DEPTH, NODES, WEIGHTS, halved

LARGE = 8.0
LONGEST = 2000
LOSS = 1e4


def term_slopes(k, v, x, sign):
    """Of the terms of the series, by the order."""
    half, z = np.log(0.5 * x), k + v + 1.5
    is_pole = (z <= 0) & (z == np.floor(z))
    safe, below = np.where(is_pole, 1.0, z), np.where(is_pole, -z, 0.0)
    logs = (2.0 * k + v + 1.0) * half - special.gammaln(k + 1.5)
    found = special.gammasgn(safe) * (half - special.digamma(safe))
    found = found * np.exp(logs - special.gammaln(safe))
    turn = np.where(np.remainder(below, 2.0) == 0, 1.0, -1.0)
    at_pole = turn * np.exp(np.where(is_pole, logs, 0.0) + special.gammaln(below + 1.0))
    return np.where(np.remainder(k, 2.0) == 0, 1.0, sign) * np.where(
        is_pole, at_pole, found
    )


# ----- L: all terms but the first few are above 0 -----
@dispatched
def first_and_large(v, x):
    """The numbers of the terms that matter; the first do where ``v`` is below 0."""
    return np.union1d(np.arange(40.0), counts(v, x))


def modified_slope(v, x):
    """Of ``modstruve`` in ``v``."""
    return np.sum(term_slopes(first_and_large(v, x), v, x, 1.0), axis=-1)


# ----- H: where its terms cancel, an integral -----
@dispatched
def enough(v, x):
    """The numbers of the terms that matter."""
    k = np.arange(float(LONGEST))
    with np.errstate(all="ignore"):
        found = term_slopes(k, v, x, -1.0)
        sizes, whole = np.abs(found), np.abs(np.sum(found, axis=-1))
        largest = np.max(sizes, axis=-1)
        is_known = np.isfinite(v + x)[..., 0]
        cancels = is_known & np.logical_not(largest <= LOSS * np.maximum(whole, 1e-3))
    if np.any(cancels):
        too_large()
    matters = (sizes > 1e-19 * largest[..., None]) & is_known[..., None]
    return k[: int(np.max(np.where(matters, k, 0.0), initial=0.0)) + 3]


def series_slope(v, x):
    return np.sum(term_slopes(enough(v, x), v, x, -1.0), axis=-1)


@dispatched
def reach(v, x):
    """How far to integrate ``exp(-x t) (1 + t**2)**(v - 0.5)``."""
    return halved(
        lambda t: x * t - (v - 0.5) * np.log1p(t * t) < DEPTH,
        *(np.zeros_like(v + x), 2.0 * (DEPTH + np.abs(v)) / x + 2.0),
    )


def integral_slope(v, x):
    """Of H less Y."""
    end = reach(v, x)
    t = end * NODES
    bend = np.log1p(t * t)
    terms = end * WEIGHTS * np.exp((v - 0.5) * bend - x * t)
    value, slope = np.sum(terms, axis=-1), np.sum(terms * bend, axis=-1)
    v, half = v[..., 0], 0.5 * x[..., 0]
    scale = 2.0 / math.sqrt(math.pi) * half**v
    own = np.log(half) * value + slope
    own = own * special.rgamma(v + 0.5) + value * reciprocal_slope(v + 0.5)
    return scale * own


defconstant(enough, first_and_large, reach)
declare(enough, raises=True, shape_by_value=True)
declare(first_and_large, raises=True, shape_by_value=True)
declare(reach)


# ----- The slopes -----
def ordinary_slope(v, x):
    """Of ``struve`` in ``v``."""
    by_terms = (x < LARGE) | (v >= x)
    terms = [np.where(by_terms, each, 1.0) for each in (v, x)]
    order, place = np.where(by_terms, 0.0, v), np.where(by_terms, LARGE, x)
    rest = integral_slope(order, place) + yv_in_v(order[..., 0], place[..., 0])
    return np.where(by_terms[..., 0], series_slope(*terms), rest)


def in_order(slope):
    """At positive numbers; at 0 there is none, or the slope is 0."""

    def found(v, x):
        v, x = np.broadcast_arrays(v, x)
        is_known = (x > 0) & (x < np.inf) & np.isfinite(v)
        place = [np.where(is_known, each, 1.0)[..., None] for each in (v, x)]
        at_start = np.where((x == 0) & (v > -1), 0.0, np.nan)
        return np.where(is_known, slope(*place), at_start)

    return found


struve_in_v, modstruve_in_v = in_order(ordinary_slope), in_order(modified_slope)
