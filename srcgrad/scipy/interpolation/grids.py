"""``scipy.interpolate``: tables of values on a grid, by the values and by the point."""

import itertools

import numpy as np
from scipy import interpolate

from srcgrad.protocols import raw_of
from srcgrad.scipy.interpolation.bsplines import basis, through
from srcgrad.scipy.interpolation.pieces import in_first
from srcgrad.scipy.interpolation.tensors import products
from srcgrad.scipy.parameters import refuse
from srcgrad.scipy.replacing import (
    OfVariables,
    is_plain,
    of_variables,
    replace_class,
    replaces,
)

# The splines among the methods.
DEGREES = {"slinear": 1, "cubic": 3, "quintic": 5}


def check(name, method):
    if method not in ("linear", "nearest", *DEGREES):
        refuse(f"interpolate.{name}", f"with method={method!r}: use 'cubic'")


def cell(axis, x):
    """The number of the interval that each point lies in, or is nearest to."""
    return np.clip(np.searchsorted(axis, x, "right") - 1, 0, len(axis) - 2)


def coordinates(xi, ndim):
    """Points as the rows of an array, from a tuple of their coordinates too."""
    if isinstance(xi, tuple):
        return np.stack(np.broadcast_arrays(*xi), axis=-1)
    if np.ndim(xi) == 1:
        return np.reshape(xi, (-1, 1) if ndim == 1 else (1, -1))
    return np.reshape(xi, (1, 1)) if np.ndim(xi) == 0 else xi


@replace_class(interpolate)
class RegularGridInterpolator(OfVariables, interpolate.RegularGridInterpolator):
    """``scipy.interpolate.RegularGridInterpolator``"""

    MEMBERS = {"values": lambda self: self.table, "grid": lambda self: tuple(self.axes)}

    def hold(self, points, values):
        """The values, with the places in ascending order."""
        turned = self._descending_dimensions
        self.table = np.flip(values, axis=tuple(turned)) if turned else values
        self.axes = [
            axis if is_plain(axis) else axis[:: -1 if k in turned else 1]
            for k, axis in enumerate(points)
        ]

    @of_variables
    def __call__(self, xi, method=None, *, nu=None):
        method = self.method if method is None else method
        check("RegularGridInterpolator", method)
        if nu is not None and method not in DEGREES:
            raise ValueError(f"method {method!r} does not support derivatives.")
        grid = self.raw("grid")
        xi = coordinates(xi, len(grid))
        shape = np.shape(xi)[:-1]
        flat = np.reshape(xi, (-1, len(grid)))
        points = raw_of(flat)
        # SciPy's own errors, and its own values beyond the grid.
        zeros = np.zeros([len(axis) for axis in grid])
        beyond = interpolate.RegularGridInterpolator(
            grid, zeros, "nearest", self.bounds_error, np.nan
        )(points)
        if method in DEGREES:
            out = self.smooth(flat, DEGREES[method], nu)
        else:
            corners = [cell(axis, points[:, k]) for k, axis in enumerate(grid)]
            out = self.between(flat, corners, method, points)
        if not self.bounds_error and self.fill_value is not None:
            out = np.where(in_first(~np.isnan(beyond), out), out, self.fill_value)
        missing = np.any(np.isnan(points), axis=-1)
        if np.any(missing):
            out = np.where(in_first(missing, out), np.nan, out)
        return np.reshape(out, shape + np.shape(out)[1:])

    def smooth(self, flat, degree, nu):
        """A spline along each axis through the coefficients of those before."""
        c, bases = self.table, []
        orders = [0] * len(self.axes) if nu is None else nu
        for k, (own, order) in enumerate(zip(self.axes, orders, strict=True)):
            axis = self.raw("grid")[k] if is_plain(own) else own
            curve = through(axis, np.moveaxis(c, k, 0), degree)
            c = np.moveaxis(curve.coefficients, 0, k)
            bases.append(basis(curve.knots, degree, flat[:, k], order))
        return products(bases, c)

    def between(self, flat, corners, method, points):
        """Weighted means of the values at the corners of each point's cell."""
        sides = []
        for k, (own, first) in enumerate(zip(self.axes, corners, strict=True)):
            axis = self.raw("grid")[k] if is_plain(own) else own
            width = axis[first + 1] - axis[first]
            if method == "nearest":
                share = raw_of((points[:, k] - axis[first]) / width)
                sides.append([(np.where(share <= 0.5, first, first + 1), 1.0)])
            else:
                share = (flat[:, k] - axis[first]) / width
                sides.append([(first, 1.0 - share), (first + 1, share)])
        out = 0.0
        for corner in itertools.product(*sides):
            value = self.table[tuple(index for index, _ in corner)]
            for _, weight in corner:
                if method != "nearest":
                    value = value * in_first(weight, value)
            out = out + value
        return out


@replaces(interpolate.interpn)
def interpn(points, values, xi, method, bounds_error, fill_value):
    check("interpn", method)
    return RegularGridInterpolator(points, values, method, bounds_error, fill_value)(xi)
