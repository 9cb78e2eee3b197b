"""Rules for ranges between two ends, and for the powers of numbers."""

import numpy as np

from srcgrad.rules.complexes import conj
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.registry import defvjp
from srcgrad.updates import cast


def shares(g, num, endpoint, axis):
    """How far each number is on the way to the end, and the number of steps."""
    steps = num - 1 if endpoint else num
    steps = steps if steps > 0 else np.nan  # and so is NumPy's step
    places = np.arange(num) / steps if num > 1 else np.zeros(num)
    axis %= g.ndim
    return np.reshape(places, (-1,) + (1,) * (g.ndim - 1 - axis)), steps


def start_back(g, num, endpoint, retstep, axis):
    g, g_step = g if retstep else (g, None)
    place, steps = shares(g, num, endpoint, axis)
    total = np.sum(g * (1.0 - place), axis=axis)
    return total if g_step is None else total - g_step / steps


def stop_back(g, num, endpoint, retstep, axis):
    g, g_step = g if retstep else (g, None)
    place, steps = shares(g, num, endpoint, axis)
    total = np.sum(g * place, axis=axis)
    return total if g_step is None else total + g_step / steps


defvjp(np.linspace, start=start_back, stop=stop_back)


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    if np.ndim(base):
        ndim = max(map(np.ndim, (start, stop, base)))
        start, base = of_ndim(start, ndim), np.expand_dims(of_ndim(base, ndim), axis)
    exponents = np.linspace(start, stop, num, endpoint, axis=axis)
    powers = np.power(base, exponents)
    return powers if dtype is None else cast(powers, dtype)


defined_as(np.logspace, logspace)


def of_ndim(x, ndim):
    return np.reshape(x, (1,) * (ndim - np.ndim(x)) + np.shape(x))


def geometric_back(g, out, share, end, axis):
    """The logarithm goes in even steps from one end to the other."""
    end = np.expand_dims(of_ndim(end, g.ndim - 1), axis)
    return np.sum(g * conj(share * out / end), axis=axis)


defvjp(
    np.geomspace,
    start=lambda g, out, start, num, endpoint, axis: geometric_back(
        g, out, 1.0 - shares(g, num, endpoint, axis)[0], start, axis
    ),
    stop=lambda g, out, stop, num, endpoint, axis: geometric_back(
        g, out, shares(g, num, endpoint, axis)[0], stop, axis
    ),
)


def vander(x, N=None, increasing=False):
    if np.ndim(x) != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    n = x.shape[0]
    count = n if N is None else N
    x = cast(x, np.promote_types(x.dtype, int))
    factors = np.broadcast_to(x[:, None], (n, max(count - 1, 0)))
    ones = np.ones((n, min(count, 1)), x.dtype)
    powers = np.cumprod(np.concatenate([ones, factors], axis=1), axis=1)
    return powers if increasing else powers[:, ::-1]


defined_as(np.vander, vander)
