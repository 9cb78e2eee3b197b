"""``scipy.interpolate``: tables of values on a grid, by the values and by the point.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import interpolate
>>> point = srcgrad.Variable(np.array([0.5, 0.25]), requires_grad=True)
>>> values = np.array([[0.0, 1.0], [2.0, 5.0]])
>>> interpolate.interpn(([0.0, 1.0], [0.0, 1.0]), values, point).sum().backward()
>>> point.grad.data
array([2.5, 2. ])
"""

import itertools
from typing import Any, ClassVar

import numpy as np
from scipy import interpolate

from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.libraries import REPLACEMENTS
from srcgrad.scipy.interpolation.bsplines import basis, through
from srcgrad.scipy.interpolation.tensors import products
from srcgrad.scipy.members import WithMembers
from srcgrad.scipy.parameters import refuse


class RegularGridInterpolator(
    WithMembers,
    interpolate.RegularGridInterpolator,  # type: ignore[misc]
):
    """``scipy.interpolate.RegularGridInterpolator``"""

    MEMBERS: ClassVar[Any] = {
        "values": lambda self: self.table,
        "grid": lambda self: tuple(self.axes),
    }

    def __init__(
        self,
        points: Any,
        values: Any,
        method: str = "linear",
        bounds_error: bool = True,
        fill_value: Any = np.nan,
        **options: Any,
    ) -> None:
        super().__init__(
            [raw_of(axis) for axis in points],
            raw_of(values),
            method,
            bounds_error,
            raw_of(fill_value),
            **options,
        )
        self.table = self.in_order(values)
        self.axes = [
            axis if first_variable(axis) is None else axis[:: -1 if turned else 1]
            for axis, turned in zip(points, self.is_turned(len(points)), strict=True)
        ]
        self.has_variables = first_variable((points, values)) is not None

    def is_turned(self, ndim: int) -> list[bool]:
        return [axis in self._descending_dimensions for axis in range(ndim)]

    def in_order(self, values: Any) -> Any:
        """The values, with the places in ascending order."""
        turned = self._descending_dimensions
        return np.flip(values, axis=tuple(turned)) if turned else values

    def __call__(self, xi: Any, method: Any = None, *, nu: Any = None) -> Any:
        if not self.has_variables and first_variable(xi) is None:
            return super().__call__(xi, method, nu=nu)
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
        corners = [cell(axis, points[:, k]) for k, axis in enumerate(grid)]
        if method in DEGREES:
            out = self.smooth(flat, DEGREES[method], nu)
        else:
            out = self.between(flat, corners, method, points)
        if not self.bounds_error and self.fill_value is not None:
            inside = np.reshape(~np.isnan(beyond), (-1,) + (1,) * (np.ndim(out) - 1))
            out = np.where(inside, out, self.fill_value)
        missing = np.any(np.isnan(points), axis=-1)
        if np.any(missing):
            missing = np.reshape(missing, (-1,) + (1,) * (np.ndim(out) - 1))
            out = np.where(missing, np.nan, out)
        return np.reshape(out, shape + np.shape(out)[1:])

    def smooth(self, flat: Any, degree: int, nu: Any) -> Any:
        """A spline along each axis through the coefficients of those before."""
        c, bases = self.table, []
        orders = [0] * len(self.axes) if nu is None else nu
        for k, (own, order) in enumerate(zip(self.axes, orders, strict=True)):
            axis = self.raw("grid")[k] if first_variable(own) is None else own
            curve = through(axis, np.moveaxis(c, k, 0), degree)
            c = np.moveaxis(curve.coefficients, 0, k)
            bases.append(basis(curve.knots, degree, flat[:, k], order))
        return products(bases, c)

    def between(self, flat: Any, corners: Any, method: str, points: Any) -> Any:
        """Weighted means of the values at the corners of each point's cell."""
        sides = []
        for k, (own, first) in enumerate(zip(self.axes, corners, strict=True)):
            axis = self.raw("grid")[k] if first_variable(own) is None else own
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
                    more = (1,) * (np.ndim(value) - 1)
                    value = value * np.reshape(weight, (-1, *more))
            out = out + value
        return out


# The splines among the methods.
DEGREES = {"slinear": 1, "cubic": 3, "quintic": 5}


def check(name: str, method: str) -> None:
    if method not in ("linear", "nearest", *DEGREES):
        refuse(f"interpolate.{name}", f"with method={method!r}: use 'cubic'")


def cell(axis: Any, x: Any) -> Any:
    """The number of the interval that each point lies in, or is nearest to."""
    return np.clip(np.searchsorted(axis, x, "right") - 1, 0, len(axis) - 2)


def coordinates(xi: Any, ndim: int) -> Any:
    """Points as the rows of an array, from a tuple of their coordinates too."""
    if isinstance(xi, tuple):
        return np.stack(np.broadcast_arrays(*xi), axis=-1)
    if np.ndim(xi) == 1:
        return np.reshape(xi, (-1, 1) if ndim == 1 else (1, -1))
    return np.reshape(xi, (1, 1)) if np.ndim(xi) == 0 else xi


def interpn(
    points: Any,
    values: Any,
    xi: Any,
    method: str = "linear",
    bounds_error: bool = True,
    fill_value: Any = np.nan,
) -> Any:
    """``scipy.interpolate.interpn``"""
    if first_variable((values, xi)) is None:
        return interpolate.interpn(points, values, xi, method, bounds_error, fill_value)
    check("interpn", method)
    return RegularGridInterpolator(points, values, method, bounds_error, fill_value)(xi)


for _own in (RegularGridInterpolator, interpn):
    REPLACEMENTS[getattr(interpolate, _own.__name__)] = _own
