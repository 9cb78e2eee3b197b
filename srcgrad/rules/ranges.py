"""Rules for ``np.linspace`` and its like: numbers between two ends."""

import numpy as np

from srcgrad.rules.complexes import conj
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.registry import defvjp


def places(num, endpoint):
    """How far each of the numbers is on the way from the start to the stop.

    >>> places(3, True), places(2, False)
    (array([0. , 0.5, 1. ]), array([0. , 0.5]))
    """
    return np.arange(num) / max(num - 1 if endpoint else num, 1)


def weighted(weights, g, axis):
    """Sum a cotangent along the axis of the numbers, with a weight for each."""
    return np.tensordot(weights.astype(g.dtype), np.moveaxis(g, axis, 0), 1)


def linspace_back(g, weights, of_step, endpoint, retstep, axis):
    if not retstep:
        return weighted(weights, g, axis)
    g, g_of_step = g
    step = len(weights) - 1 if endpoint else len(weights)
    return weighted(weights, g, axis) + of_step * g_of_step / step


def linspace_start(g, num, endpoint, retstep, axis):
    weights = 1.0 - places(num, endpoint)
    return linspace_back(g, weights, -1.0, endpoint, retstep, axis)


def linspace_stop(g, num, endpoint, retstep, axis):
    return linspace_back(g, places(num, endpoint), 1.0, endpoint, retstep, axis)


def geomspace_start(g, start, out, num, endpoint, axis):
    return weighted(1.0 - places(num, endpoint), g * conj(out), axis) / conj(start)


def geomspace_stop(g, stop, out, num, endpoint, axis):
    return weighted(places(num, endpoint), g * conj(out), axis) / conj(stop)


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    if np.ndim(base):  # it is broadcast with the ends, of which one axis comes
        ndim = max(map(np.ndim, (start, stop, base)))
        start, stop, base = (
            np.reshape(x, (1,) * (ndim - np.ndim(x)) + np.shape(x))
            for x in (start, stop, base)
        )
        base = np.expand_dims(base, axis)
    exponents = np.linspace(start, stop, num=num, endpoint=endpoint, axis=axis)
    power = np.power(base, exponents)
    return power if dtype is None else power.astype(dtype)


defvjp(np.linspace, start=linspace_start, stop=linspace_stop)
defvjp(np.geomspace, start=geomspace_start, stop=geomspace_stop)
defined_as(np.logspace, logspace)
