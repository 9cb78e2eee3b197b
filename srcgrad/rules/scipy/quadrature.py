"""Rules for ``scipy.integrate``: integrals of samples, which are linear in these."""

import numpy as np
from scipy import integrate

from srcgrad.protocols import first_variable
from srcgrad.rules.broadcasting import expand_reduced
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.libraries import reaching
from srcgrad.rules.registry import defvjp
from srcgrad.rules.scipy.scipy_sources import as_in_scipy

as_in_scipy(integrate, "trapezoid cumulative_trapezoid cumulative_simpson newton_cotes")


def simpson_back(g, y_shape, x, dx, axis):
    n = y_shape[axis]
    weights = simpson(np.eye(n), x=x, dx=dx)
    shape = [1] * len(y_shape)
    shape[axis] = n
    return expand_reduced(g, y_shape, axis) * np.reshape(weights, shape)


def romb_back(g, y_shape, dx, axis):
    n = y_shape[axis]
    shape = [1] * len(y_shape)
    shape[axis] = n
    weights = np.reshape(integrate.romb(np.eye(n), dx), shape)
    return expand_reduced(g, y_shape, axis) * weights


def simpson_by_places(y, x=None, *, dx=1.0, axis=-1):
    """``scipy.integrate.simpson`` of places that are Variables, as SciPy has it."""
    if x is None and first_variable(dx) is not None:
        return dx * simpson(y, dx=1.0, axis=axis)
    if x is None or (first_variable(x) is None and np.ndim(x) < 2):
        return NotImplemented
    y = np.moveaxis(y, axis, -1)
    steps = np.diff(x if np.ndim(x) == 1 else np.moveaxis(x, axis, -1))
    n = np.shape(y)[-1]
    if n < 3:
        return np.sum(0.5 * steps * (y[..., 1:] + y[..., :-1]), axis=-1)
    ends = n - 1 - (n - 1) % 2
    first, second = steps[..., 0:ends:2], steps[..., 1:ends:2]
    both = first + second
    left = y[..., 0:ends:2] * (2.0 - second / first)
    middle = y[..., 1:ends:2] * (both * (both / (first * second)))
    right = y[..., 2 : ends + 1 : 2] * (2.0 - first / second)
    out = np.sum(both / 6.0 * (left + middle + right), axis=-1)
    if ends == n - 1:
        return out
    # The last of an odd number of intervals, by the parabola through three points.
    before, last = steps[..., -2], steps[..., -1]
    both = before + last
    own = y[..., -1] * (2.0 * last**2 + 3.0 * before * last) / (6.0 * both)
    own = own + y[..., -2] * (last**2 + 3.0 * before * last) / (6.0 * before)
    return out + own - y[..., -3] * last**3 / (6.0 * before * both)


def romb_of_steps(y, dx=1.0, axis=-1, show=False):
    """``scipy.integrate.romb`` by the distance of the samples"""
    return NotImplemented if first_variable(dx) is None else dx * romb(y, 1.0, axis)


romb = reaching(integrate.romb)
simpson = reaching(integrate.simpson)
defvjp(integrate.simpson, y=simpson_back)
defined_as(integrate.simpson, simpson_by_places)
defvjp(integrate.romb, y=romb_back)
defined_as(integrate.romb, romb_of_steps)
