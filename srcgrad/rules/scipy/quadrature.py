"""Rules for ``scipy.integrate``: integrals of samples, which are linear in these."""

import numpy as np
from scipy import integrate

from srcgrad.protocols import first_variable
from srcgrad.rules.broadcasting import expand_reduced
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.libraries import reaching
from srcgrad.rules.registry import defvjp
from srcgrad.rules.scipy.scipy_sources import as_in_scipy, on_variables

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
    if first_variable((x, dx)) is None and np.ndim(x) < 2:
        return NotImplemented
    return on_variables(integrate.simpson)(y, x, dx=dx, axis=axis)


def cumulative_simpson_by_places(y, *, x=None, dx=1.0, axis=-1, initial=None):
    """``scipy.integrate.cumulative_simpson`` of places that are Variables, or rows."""
    is_plain = first_variable((x, dx, initial)) is None
    if is_plain and np.ndim(x) < 2 and np.ndim(dx) == np.ndim(initial) == 0:
        return NotImplemented
    options = {"x": x, "dx": dx, "axis": axis, "initial": initial}
    return on_variables(integrate.cumulative_simpson)(y, **options)


def romb_of_steps(y, dx=1.0, axis=-1, show=False):
    """``scipy.integrate.romb`` by the distance of the samples"""
    return NotImplemented if first_variable(dx) is None else dx * romb(y, 1.0, axis)


cumulative_simpson = reaching(integrate.cumulative_simpson)
romb = reaching(integrate.romb)
simpson = reaching(integrate.simpson)
defvjp(integrate.simpson, y=simpson_back)
defined_as(integrate.simpson, simpson_by_places)
defvjp(integrate.cumulative_simpson, y=cumulative_simpson_back)
defined_as(integrate.cumulative_simpson, cumulative_simpson_by_places)
defvjp(integrate.romb, y=romb_back)
defined_as(integrate.romb, romb_of_steps)
