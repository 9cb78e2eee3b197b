"""``scipy.interpolate``: splines, by their values, their places and the point.

A spline's coefficients are linear in its values, so SciPy's own construction on the
columns of the unit matrix says how.
"""

import math

import numpy as np
from scipy import interpolate

from srcgrad.rules.libraries import REPLACEMENTS
from srcgrad.rules.scipy.scipy_sources import classes_as_in_scipy
from srcgrad.scipy.interpolation.bsplines import of_period, pairs, through
from srcgrad.scipy.interpolation.pieces import Differentiable, Pieces
from srcgrad.scipy.replacing import is_plain, replace_class


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


classes_as_in_scipy(interpolate, "interp1d", always=True)
interp1d = REPLACEMENTS[interpolate.interp1d]
