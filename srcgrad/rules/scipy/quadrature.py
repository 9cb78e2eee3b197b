"""Rules for ``scipy.integrate``: integrals of samples, which are linear in these."""

import numpy as np
from scipy import integrate

from srcgrad.protocols import first_variable
from srcgrad.rules.broadcasting import expand_reduced
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.libraries import reaching
from srcgrad.rules.registry import defvjp
from srcgrad.rules.scipy.scipy_sources import as_in_scipy

as_in_scipy(integrate, "trapezoid cumulative_trapezoid newton_cotes")


def weighted_back(g, y_shape, axis, integrated):
    """Of a sum of samples, by what it makes of the rows of a unit matrix."""
    weights = integrated(np.eye(y_shape[axis]))
    shape = [1] * len(y_shape)
    shape[axis] = -1
    return expand_reduced(g, y_shape, axis) * np.reshape(weights, shape)


def simpson_back(g, y_shape, x, dx, axis):
    return weighted_back(g, y_shape, axis, lambda rows: simpson(rows, x=x, dx=dx))


def romb_back(g, y_shape, dx, axis):
    return weighted_back(g, y_shape, axis, lambda rows: integrate.romb(rows, dx))


def cumulative_simpson_back(g, y_shape, x, dx, axis, initial):
    weights = cumulative_simpson(np.eye(y_shape[axis]), x=x, dx=dx)
    if initial is not None:  # which stands in front
        g = np.take(g, np.arange(1, y_shape[axis]), axis)
    return np.moveaxis(np.moveaxis(g, axis, -1) @ weights.T, -1, axis)


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


def spacings(y, x, dx, axis):
    """How far apart the samples are; along ``axis``, if they are not all the same."""
    if x is None:
        return dx
    if np.ndim(x) > 1:
        return np.diff(x, axis=axis)
    shape = [1] * np.ndim(y)
    shape[axis] = -1
    return np.reshape(np.diff(x), shape)


def cumulative_simpson_by_places(y, *, x=None, dx=1.0, axis=-1, initial=None):
    """``scipy.integrate.cumulative_simpson`` of places that are Variables, or rows."""
    is_plain = first_variable((x, dx, initial)) is None
    if is_plain and np.ndim(x) < 2 and np.ndim(dx) == np.ndim(initial) == 0:
        return NotImplemented
    steps = spacings(y, x, dx, axis)
    if np.shape(y)[axis] < 3:
        out = cumulative_trapezoid(y, x, dx, axis)
    else:
        if x is not None and bool(np.any(steps <= 0)):
            raise ValueError("Input x must be strictly increasing.")
        rows = np.swapaxes(y, axis, -1)
        steps = np.swapaxes(steps, axis, -1) if np.ndim(steps) else steps
        shape = *np.shape(rows)[:-1], np.shape(rows)[-1] - 1
        areas = parabolas(rows, np.broadcast_to(steps, shape))
        out = np.swapaxes(np.cumsum(areas, axis=-1), -1, axis)
    if initial is None:
        return out
    first = np.take(out, np.arange(1), axis)
    return np.concatenate([np.zeros_like(first) + initial, out + initial], axis=axis)


def parabolas(y, steps):
    """The areas between neighbours, each by the parabola through a third one.

    That is the next one, and the one before for each second area and for the last.
    """
    ahead = first_areas(y, steps)
    behind = np.flip(first_areas(np.flip(y, -1), np.flip(steps, -1)), -1)
    n = steps.shape[-1]
    is_ahead = (np.arange(n) % 2 == 0) & (np.arange(n) < n - 1)
    none = np.zeros((*y.shape[:-1], 1))
    return np.where(
        is_ahead,
        np.concatenate([ahead, none], axis=-1),
        np.concatenate([none, behind], axis=-1),
    )


def first_areas(y, steps):
    """The first of the two areas under the parabola through each three neighbours."""
    first, second = steps[..., :-1], steps[..., 1:]
    share, ratio = first / (first + second), first / second
    left = (3.0 - share) * y[..., :-2]
    middle = (3.0 + share * ratio + share) * y[..., 1:-1]
    return first / 6.0 * (left + middle - share * ratio * y[..., 2:])


def romb_of_steps(y, dx=1.0, axis=-1, show=False):
    """``scipy.integrate.romb`` by the distance of the samples"""
    return NotImplemented if first_variable(dx) is None else dx * romb(y, 1.0, axis)


cumulative_trapezoid = reaching(integrate.cumulative_trapezoid)
cumulative_simpson = reaching(integrate.cumulative_simpson)
romb = reaching(integrate.romb)
simpson = reaching(integrate.simpson)
defvjp(integrate.simpson, y=simpson_back)
defined_as(integrate.simpson, simpson_by_places)
defvjp(integrate.cumulative_simpson, y=cumulative_simpson_back)
defined_as(integrate.cumulative_simpson, cumulative_simpson_by_places)
defvjp(integrate.romb, y=romb_back)
defined_as(integrate.romb, romb_of_steps)
