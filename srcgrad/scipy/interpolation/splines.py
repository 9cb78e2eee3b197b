"""``scipy.interpolate``: splines, by their values, their places and the point.

A spline's coefficients are linear in its values, so SciPy's own construction on the
columns of the unit matrix says how.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import interpolate
>>> x = srcgrad.Variable(1.5, requires_grad=True)
>>> spline = interpolate.CubicSpline(np.arange(5.0), np.arange(5.0) ** 2)
>>> spline(x).backward()
>>> round(x.grad.item(), 6)
3.0
"""

import math
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from scipy import interpolate

from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.libraries import REPLACEMENTS
from srcgrad.scipy.interpolation.bsplines import pairs, through
from srcgrad.scipy.interpolation.pieces import Differentiable, Pieces, moved
from srcgrad.scipy.members import WithMembers
from srcgrad.scipy.parameters import as_array

# How SciPy makes polynomials of values and conditions at the ends.
Make = Callable[[Any, Any], Any]


def without_values(bc_type: Any, shape: tuple[int, ...]) -> Any:
    """The same conditions at the ends, with derivatives that are zero there."""
    if not isinstance(bc_type, (tuple, list)):
        return bc_type
    return tuple(
        end
        if isinstance(end, str)
        else [(order, np.zeros(shape)) for order, _ in pairs(end)]
        for end in bc_type
    )


def of_values(make: Make, y: Any, bc_type: Any = None) -> Pieces:
    """The spline that ``make`` makes of unit vectors, for the values in ``y``."""
    shape = np.shape(y)
    unit = np.eye(shape[0])
    if isinstance(bc_type, str) and bc_type == "periodic":  # both ends are one
        unit = unit[:, :-1] + unit[:, -1:] * (np.arange(shape[0] - 1) == 0)
        y = np.concatenate([0.5 * (y[:1] + y[-1:]), y[1:-1]])
    made = make(unit, without_values(bc_type, unit.shape[1:]))
    coefficients = np.tensordot(made.c, y, 1)
    if isinstance(bc_type, (tuple, list)):
        coefficients = coefficients + make(np.zeros(shape), bc_type).c
    return Pieces(made.x, coefficients)


class CubicSpline(Differentiable, interpolate.CubicSpline):  # type: ignore[misc]
    """``scipy.interpolate.CubicSpline``"""

    def __init__(
        self,
        x: Any,
        y: Any,
        axis: int = 0,
        bc_type: Any = "not-a-knot",
        extrapolate: Any = None,
    ) -> None:
        def make(values: Any, bc_type: Any) -> Any:
            return interpolate.CubicSpline(x, values, 0, single(bc_type), extrapolate)

        super().__init__(raw_of(x), raw_of(y), axis, bc_type, extrapolate)
        values = np.moveaxis(y, axis, 0)
        if first_variable(x) is None:
            self.hold(lambda: of_values(make, values, bc_type), (x, y))
        else:
            self.hold(
                lambda: as_powers(through(x, values, 3, bc_type=bc_type), x), (x, y)
            )


def as_powers(spline: Any, x: Any) -> Pieces:
    """A cubic spline by its powers between its places."""
    terms = [spline(x[:-1], nu) / math.factorial(nu) for nu in range(3, -1, -1)]
    return Pieces(x, np.stack(terms))


def single(bc_type: Any) -> Any:
    """The conditions as CubicSpline takes them: one at an end."""
    if not isinstance(bc_type, (tuple, list)):
        return bc_type
    return tuple(end if isinstance(end, str) else pairs(end)[0] for end in bc_type)


class interp1d(WithMembers, interpolate.interp1d):  # type: ignore[misc]  # noqa: N801 (SciPy's)
    """``scipy.interpolate.interp1d``"""

    MEMBERS: ClassVar[Any] = {
        "x": lambda self: self.own,
        "y": lambda self: np.moveaxis(self.values, 0, self.first),
    }

    def __init__(
        self,
        x: Any,
        y: Any,
        kind: Any = "linear",
        axis: int = -1,
        copy: bool = True,
        bounds_error: Any = None,
        fill_value: Any = np.nan,
        assume_sorted: bool = False,
    ) -> None:
        options = (axis, copy, bounds_error, fill_value, assume_sorted)
        super().__init__(raw_of(x), raw_of(y), kind, *options)
        places = np.asarray(raw_of(x), float)
        order = np.arange(len(places)) if assume_sorted else np.argsort(places)
        self.places, self.way = places[order], kind
        self.own = self.places if first_variable(x) is None else x[order]
        self.first = axis % np.ndim(y)
        self.values = np.moveaxis(y, axis, 0)[order]
        self.is_carried_on = isinstance(fill_value, str)  # SciPy forgets it for steps
        # What there is outside, where the values are not carried on.
        zeros = np.zeros(np.shape(y))
        self.outside = interpolate.interp1d(raw_of(x), zeros, kind, *options)
        self.has_variables = first_variable((x, y)) is not None

    def __call__(self, x: Any) -> Any:
        if not self.has_variables and first_variable(x) is None:
            return super().__call__(x)
        x = as_array(x)
        point, ndim = raw_of(x), np.ndim(raw_of(x))
        fill = self.outside(point)
        out = moved(self.inside(x), ndim, self.first)
        if self.is_carried_on:
            return out
        is_out = (point < self.places[0]) | (point > self.places[-1])
        ones = (1,) * (np.ndim(out) - self.first - ndim)
        return np.where(np.reshape(is_out, np.shape(point) + ones), fill, out)

    def inside(self, x: Any) -> Any:
        """The value, with the points' axes first."""
        if self.way in STEPS:
            numbers = np.arange(len(self.places), dtype=float)
            step = interpolate.interp1d(
                self.places, numbers, self.way, fill_value="extrapolate"
            )
            number = step(raw_of(x))
            is_none = np.isnan(number)  # nothing before the first, or after the last
            found = self.values[np.where(is_none, 0.0, number).astype(int)]
            ones = (1,) * (np.ndim(found) - np.ndim(number))
            is_none = np.reshape(is_none, np.shape(number) + ones)
            return np.where(is_none, np.nan, found) if np.any(is_none) else found
        degree = DEGREES.get(self.way, self.way)
        if first_variable(self.own) is not None:
            return through(self.own, self.values, degree)(x)
        return of_values(polynomials(self.places, degree), self.values)(x)


STEPS = ("nearest", "nearest-up", "previous", "next", "zero")
DEGREES = {"linear": 1, "slinear": 1, "quadratic": 2, "cubic": 3}


def polynomials(x: Any, k: int, t: Any = None) -> Make:
    """How ``make_interp_spline`` makes polynomials of values."""

    def make(values: Any, bc_type: Any) -> Any:
        spline = interpolate.make_interp_spline(x, values, k, t, bc_type, 0)
        breaks = np.unique(spline.t[k : len(spline.t) - k])
        terms = [
            spline(breaks[:-1], nu) / math.factorial(nu) for nu in range(k, -1, -1)
        ]
        return interpolate.PPoly(np.stack(terms), breaks)

    return make


for _original, _replacement in (
    (interpolate.CubicSpline, CubicSpline),
    (interpolate.interp1d, interp1d),
):
    REPLACEMENTS[_original] = _replacement
