"""Rules for ``scipy.special``: Mathieu's modified functions by ``q``.

They are sums of products of two Bessel functions (DLMF 28.24), over the coefficients of
the Fourier series, by the one of these that is about the largest.
"""

import numpy as np
from scipy import special

from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.rules.registry import defconstant
from srcgrad.rules.scipy.precision import doubles
from srcgrad.rules.scipy.special.characteristic import (
    coefficients,
    finite,
    mathieu_matrices,
)

TINY = 1e-60


@dispatched
def indices(is_even, m, q):
    """Of the coefficient to divide by, of all, the two orders' distance, the sign."""
    _, _, number, order = mathieu_matrices(is_even, m, q)
    chosen = number[..., None] + 0.0 * order
    each = np.arange(float(np.shape(order)[-1])) + 0.0 * chosen
    apart = order[..., :1] + 0.0 * chosen
    turn = np.where(np.mod(each + chosen, 2.0) == 0, 1.0, -1.0)
    return np.stack([chosen, each, apart, turn])


defconstant(indices)
declare(indices, raises=True, shape_by_value=True)


def product(kind, first, second, u, w):
    """Of two Bessel functions: its value and slopes by ``x``, ``q`` and both, the
    latter two times ``2 q``."""
    inner, outer = special.jv(first, u), kind(second, w)
    inner_rise = 0.5 * u * (special.jv(first - 1.0, u) - special.jv(first + 1.0, u))
    outer_rise = 0.5 * w * (kind(second - 1.0, w) - kind(second + 1.0, w))
    one, two = inner_rise * outer, inner * outer_rise
    bend = (second - first) * (second + first) + (u - w) * (u + w)
    return inner * outer, two - one, two + one, inner * outer * bend


def modified_slopes(is_even, kind, m, q, x):
    """Of a function and its slope, by ``q``."""
    q, m, x = np.broadcast_arrays(doubles(q), doubles(m), doubles(x))
    q, is_known = finite(q, m)
    is_known = is_known & (q > 0)
    q = np.where(is_known, q, 1.0)
    own, slope, _ = coefficients(is_even, m, q)
    chosen, each, apart, turn = indices(is_even, m, q)
    place = chosen[..., :1].astype(int)
    base = np.take_along_axis(own, place, axis=-1)
    lean = np.take_along_axis(slope, place, axis=-1) / base
    own, slope = turn * own / base, turn * slope / base
    slope = slope - lean * own
    root, x = np.sqrt(q)[..., None], x[..., None]
    u, w = root * np.exp(-x), root * np.exp(x)
    sign = 1.0 if is_even else -1.0
    pair = each - chosen, each + chosen + apart
    left, right = (product(kind, *orders, u, w) for orders in (pair, pair[::-1]))
    value, along, by_q, both = (a + sign * b for a, b in zip(left, right, strict=True))
    # With the first coefficient both products are the same.
    share = np.where((chosen == 0) & (apart == 0), 0.5, 1.0)
    is_tiny = (np.abs(own) < TINY) & (np.abs(slope) < TINY)
    found = []
    for term, its_slope in ((value, by_q), (along, both)):
        parts = share * (slope * term + own * its_slope / (2.0 * q[..., None]))
        parts = np.where(is_tiny, 0.0, parts)  # times infinity
        found.append(np.where(is_known, np.sum(parts, axis=-1), np.nan))
    return found
