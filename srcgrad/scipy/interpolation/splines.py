"""``scipy.interpolate``: splines, by their values, their places and the point.

A spline's coefficients are linear in its values, so SciPy's own construction on the
columns of the unit matrix says how.
"""

import math

import numpy as np
from scipy import interpolate

from srcgrad.protocols import raw_of
from srcgrad.scipy.interpolation.bsplines import of_period, pairs, through
from srcgrad.scipy.interpolation.pieces import Differentiable, Pieces, moved, spread
from srcgrad.scipy.parameters import as_array
from srcgrad.scipy.replacing import OfVariables, is_plain, of_variables, replace_class


def without_values(bc_type, shape):
    """The same conditions at the ends, with derivatives that are zero there."""
    if not isinstance(bc_type, (tuple, list)):
        return bc_type
    return tuple(
        end
        if isinstance(end, str)
        else [(order, np.zeros(shape)) for order, _ in pairs(end)]
        for end in bc_type
    )


def of_values(make, y, bc_type=None):
    """The spline that ``make(values, bc_type)`` makes of unit vectors, for ``y``."""
    shape, unit = np.shape(y), np.eye(np.shape(y)[0])
    if isinstance(bc_type, str) and bc_type == "periodic":
        unit, y = of_period(y)
    made = make(unit, without_values(bc_type, unit.shape[1:]))
    coefficients = np.tensordot(made.c, y, 1)
    if isinstance(bc_type, (tuple, list)):
        coefficients = coefficients + make(np.zeros(shape), bc_type).c
    return Pieces(made.x, coefficients)


@replace_class(interpolate)
class CubicSpline(Differentiable, interpolate.CubicSpline):
    """``scipy.interpolate.CubicSpline``"""

    def hold(self, x, y, axis, bc_type, extrapolate):
        def make(values, bc_type):
            return interpolate.CubicSpline(x, values, 0, single(bc_type), extrapolate)

        values = np.moveaxis(y, axis, 0)
        if is_plain(x):
            self.way = lambda: of_values(make, values, bc_type)
        else:
            self.way = lambda: as_powers(through(x, values, 3, bc_type=bc_type), x, 3)


def as_powers(spline, breaks, k):
    """A spline by its powers between its breaks."""
    terms = [spline(breaks[:-1], nu) / math.factorial(nu) for nu in range(k, -1, -1)]
    return Pieces(breaks, np.stack(terms))


def single(bc_type):
    """The conditions as CubicSpline takes them: one at an end."""
    if not isinstance(bc_type, (tuple, list)):
        return bc_type
    return tuple(end if isinstance(end, str) else pairs(end)[0] for end in bc_type)


STEPS = ("nearest", "nearest-up", "previous", "next", "zero")
DEGREES = {"linear": 1, "slinear": 1, "quadratic": 2, "cubic": 3}


@replace_class(interpolate)
class interp1d(OfVariables, interpolate.interp1d):  # noqa: N801 (SciPy's)
    """``scipy.interpolate.interp1d``"""

    MEMBERS = {
        "x": lambda self: self.own,
        "y": lambda self: np.moveaxis(self.values, 0, self.first),
    }

    def hold(self, x, y, kind, axis, bounds_error, fill_value, assume_sorted):
        places = np.asarray(raw_of(x), float)
        order = np.arange(len(places)) if assume_sorted else np.argsort(places)
        self.places, self.way = places[order], kind
        self.own = self.places if is_plain(x) else x[order]
        self.first = axis % np.ndim(y)
        self.values = np.moveaxis(y, axis, 0)[order]
        self.is_carried_on = isinstance(fill_value, str)  # SciPy forgets it for steps
        # What there is outside, where the values are not carried on.
        zeros, options = np.zeros(np.shape(y)), (bounds_error, fill_value)
        self.outside = interpolate.interp1d(
            *(raw_of(x), zeros, kind, axis, True, *options, assume_sorted)
        )

    @of_variables
    def __call__(self, x):
        x = as_array(x)
        point, ndim = raw_of(x), np.ndim(raw_of(x))
        fill = self.outside(point)
        out = moved(self.inside(x), ndim, self.first)
        if self.is_carried_on:
            return out
        is_out = (point < self.places[0]) | (point > self.places[-1])
        return np.where(spread(is_out, np.ndim(out) - self.first - ndim), fill, out)

    def inside(self, x):
        """The value, with the points' axes first."""
        if self.way in STEPS:
            numbers = np.arange(len(self.places), dtype=float)
            step = interpolate.interp1d(
                self.places, numbers, self.way, fill_value="extrapolate"
            )
            number = step(raw_of(x))
            is_none = np.isnan(number)  # nothing before the first, or after the last
            found = self.values[np.where(is_none, 0.0, number).astype(int)]
            is_none = spread(is_none, np.ndim(found) - np.ndim(number))
            return np.where(is_none, np.nan, found) if np.any(is_none) else found
        degree = DEGREES.get(self.way, self.way)
        if not is_plain(self.own):
            return through(self.own, self.values, degree)(x)
        return of_values(polynomials(self.places, degree), self.values)(x)


def polynomials(x, k):
    """How ``make_interp_spline`` makes polynomials of values."""

    def make(values, bc_type):
        spline = interpolate.make_interp_spline(x, values, k, None, bc_type, 0)
        made = as_powers(spline, np.unique(spline.t[k : len(spline.t) - k]), k)
        return interpolate.PPoly(made.coefficients, made.breaks)

    return make
