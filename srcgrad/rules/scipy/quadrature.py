"""Rules for ``scipy.integrate``: integrals of samples, which are linear in these."""

import numpy as np
from scipy import integrate

from srcgrad.rules.broadcasting import expand_reduced
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.libraries import reaching
from srcgrad.rules.registry import defvjp


def spacings(y, x, dx, axis):
    """How far apart the samples are; along ``axis``, if they are not all the same."""
    if x is None:
        return dx
    if np.ndim(x) > 1:
        return np.diff(x, axis=axis)
    shape = [1] * np.ndim(y)
    shape[axis] = -1
    return np.reshape(np.diff(x), shape)


def panels(y, x, dx, axis):
    """The trapezoids between neighbours."""
    n = np.shape(y)[axis]
    left = np.take(y, np.arange(n - 1), axis)
    right = np.take(y, np.arange(1, n), axis)
    return spacings(y, x, dx, axis) * (left + right) * 0.5


def trapezoid(y, x=None, dx=1.0, axis=-1):
    return np.sum(panels(y, x, dx, axis), axis=axis)


def cumulative_trapezoid(y, x=None, dx=1.0, axis=-1, initial=None):
    """``scipy.integrate.cumulative_trapezoid``"""
    if initial not in (None, 0):
        raise ValueError("`initial` must be `None` or `0`.")
    out = np.cumsum(panels(y, x, dx, axis), axis=axis)
    if initial is None:
        return out
    first = np.zeros_like(np.take(out, np.arange(1), axis))
    return np.concatenate([first, out], axis=axis)


defined_as(integrate.trapezoid, trapezoid)
defined_as(integrate.cumulative_trapezoid, cumulative_trapezoid)


def check_places(x):
    if np.ndim(x) > 1:
        raise NotImplementedError(
            "srcgrad has a derivative of Simpson's rule for places `x` in one "
            "dimension: integrate row by row"
        )


def simpson_back(g, y_shape, x, dx, axis):
    check_places(x)
    n = y_shape[axis]
    weights = simpson(np.eye(n), x=x, dx=dx)
    shape = [1] * len(y_shape)
    shape[axis] = n
    return expand_reduced(g, y_shape, axis) * np.reshape(weights, shape)


def cumulative_simpson_back(g, y_shape, x, dx, axis, initial):
    check_places(x)
    weights = cumulative_simpson(np.eye(y_shape[axis]), x=x, dx=dx)
    if initial is not None:  # which stands in front
        g = np.take(g, np.arange(1, y_shape[axis]), axis)
    return np.moveaxis(np.moveaxis(g, axis, -1) @ weights.T, -1, axis)


def romb_back(g, y_shape, dx, axis):
    n = y_shape[axis]
    shape = [1] * len(y_shape)
    shape[axis] = n
    weights = np.reshape(integrate.romb(np.eye(n), dx), shape)
    return expand_reduced(g, y_shape, axis) * weights


simpson = reaching(integrate.simpson)
cumulative_simpson = reaching(integrate.cumulative_simpson)
defvjp(integrate.simpson, y=simpson_back)
defvjp(integrate.cumulative_simpson, y=cumulative_simpson_back)
defvjp(integrate.romb, y=romb_back)
