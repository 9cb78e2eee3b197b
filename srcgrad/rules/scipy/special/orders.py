"""Rules for ``scipy.special``: ``kv`` and ``kve`` by their order.

``kve(v, x)`` is the integral of ``cosh(v t) exp(-x (cosh(t) - 1))`` over positive
``t``; the slope in ``v`` has ``t sinh(v t)`` for the cosine. Its logarithm is nearly
concave, so Gauss's rule between where it has fallen to nothing is exact to rounding.
"""

import numpy as np

from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.rules.complexes import is_complex
from srcgrad.rules.registry import defconstant
from srcgrad.rules.scipy.special.incomplete import DEPTH, NODES, WEIGHTS, root


@dispatched
def order_reach(v, x):
    """Where the integral begins and ends, around the peak of the integrand."""
    v = np.abs(v)
    peak, size = np.arcsinh(v / x), np.hypot(v, x)
    with np.errstate(all="ignore"):
        up = root(
            lambda d: size * (np.cosh(d) - 1.0) + v * (np.sinh(d) - d),
            lambda d: size * np.sinh(d) + v * (np.cosh(d) - 1.0),
            np.minimum(np.sqrt(2.0 * DEPTH / size), np.log(2.0 * (DEPTH / size + 1.0))),
        )
        down = root(
            lambda d: size * (np.cosh(d) - 1.0) - v * (np.sinh(d) - d),
            lambda d: size * np.sinh(d) - v * (np.cosh(d) - 1.0),
            peak,
        )
    low = np.where((down > 0) & (down < peak), peak - down, 0.0)
    return np.stack([low, peak + up])


defconstant(order_reach)
declare(order_reach)


def scaled_slope(v, x):
    """The slope of ``kve`` in its order."""
    if is_complex(x):
        raise NotImplementedError(
            "srcgrad has a derivative of kv and kve by their order `v` at real `z` only"
        )
    v, x = (np.expand_dims(each, -1) for each in np.broadcast_arrays(v, x))
    reach = order_reach(v, x)
    low, size = reach[0], reach[1] - reach[0]
    t = low + size * NODES
    half = np.sinh(0.5 * t)
    fall = 2.0 * x * half * half
    both = np.exp(v * t - fall) - np.exp(-v * t - fall)
    return np.sum(0.5 * size * WEIGHTS * t * both, axis=-1)
