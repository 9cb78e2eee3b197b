"""``scipy.interpolate``: objects that SciPy has made already, called with Variables.

A table is often an ``interp1d`` of the module, made when it is imported. In a traced
function one of ours is called for it, made of what it holds at that call.
"""

import numpy as np
from scipy import interpolate

from srcgrad.rules.libraries import OBJECTS, REPLACEMENTS
from srcgrad.scipy.interpolation.bsplines import BSpline
from srcgrad.scipy.interpolation.grids import RegularGridInterpolator
from srcgrad.scipy.interpolation.pieces import BPoly, PPoly
from srcgrad.scipy.interpolation.radial import RBFInterpolator
from srcgrad.scipy.interpolation.splines import interp1d
from srcgrad.scipy.interpolation.surfaces import surface
from srcgrad.scipy.replacing import raws


def own_of(item):
    """Our class for an object of SciPy's."""
    return REPLACEMENTS[type(item)]


def of_pieces(spline):
    kind = BPoly if isinstance(spline, interpolate.BPoly) else PPoly
    return kind.construct_fast(spline.c, spline.x, spline.extrapolate, spline.axis)


def of_knots(spline):
    return BSpline.construct_fast(
        spline.t, spline.c, spline.k, spline.extrapolate, spline.axis
    )


def univariate(spline):
    def call(x, nu=0, ext=None):
        splev = REPLACEMENTS[interpolate.splev]
        return splev(x, spline._eval_args, nu, spline.ext if ext is None else ext)

    return call


def surface_of(spline):
    def call(x, y, dx=0, dy=0, grid=True):
        return surface((*spline.tck, *spline.degrees), x, y, dx, dy, grid)

    return call


def of_table(table):
    # The orders of splines are one kind there.
    kind = table._spline.k if table._kind == "spline" else table._kind
    return interp1d(
        *(table.x, table.y, kind, table.axis, False),
        table.bounds_error,
        table.fill_value,
        assume_sorted=True,
    )


def by_points(polynomial):
    shape = len(polynomial.xi), *polynomial._y_extra_shape
    values = np.moveaxis(np.reshape(polynomial.yi, shape), 0, polynomial._y_axis)
    return own_of(polynomial)(polynomial.xi, values, polynomial._y_axis)


def of_grid(table):
    return RegularGridInterpolator(
        *(table.grid, table.values, table.method),
        *(table.bounds_error, table.fill_value),
    )


def over_triangles(table):
    values = np.reshape(table.values, (-1, *table.values_shape))
    made = own_of(table)(table.tri, values, table.fill_value)
    made.is_rescaled = table.scale is not None
    return made


def nearest(table):
    return lambda *args, **options: table(*raws(args), **options)


def radial(field):
    values = np.reshape(field.d.view(field.d_dtype), (-1, *field.d_shape))
    return RBFInterpolator(
        *(field.y, values, field.neighbors, field.smoothing),
        *(field.kernel, field.epsilon),
        int(np.max(np.sum(field.powers, axis=1), initial=-1)),
    )


MAKERS = {
    of_pieces: "PPoly BPoly CubicSpline CubicHermiteSpline PchipInterpolator "
    "Akima1DInterpolator",
    of_knots: "BSpline",
    univariate: "UnivariateSpline InterpolatedUnivariateSpline LSQUnivariateSpline",
    surface_of: "RectBivariateSpline LSQBivariateSpline SmoothBivariateSpline",
    of_table: "interp1d",
    of_grid: "RegularGridInterpolator",
    over_triangles: "LinearNDInterpolator CloughTocher2DInterpolator",
    by_points: "BarycentricInterpolator KroghInterpolator",
    nearest: "NearestNDInterpolator",
    radial: "RBFInterpolator",
}
for _maker, _names in MAKERS.items():
    OBJECTS.update((getattr(interpolate, name), _maker) for name in _names.split())
