"""``scipy.interpolate``: objects that SciPy has made already, called with Variables.

A table is often an ``interp1d`` of the module, made when it is imported. In a traced
function one of ours is called for it, made of what it holds at that call:

>>> import numpy as np
>>> import srcgrad
>>> from scipy import interpolate
>>> table = interpolate.CubicSpline(np.arange(5.0), np.arange(5.0) ** 2)
>>> float(srcgrad.grad(lambda x: table(x))(1.5))
3.0
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import interpolate

from srcgrad.rules.libraries import OBJECTS
from srcgrad.scipy.interpolation.bsplines import BSpline
from srcgrad.scipy.interpolation.clough_tocher import CloughTocher2DInterpolator
from srcgrad.scipy.interpolation.fitpack import splev
from srcgrad.scipy.interpolation.grids import RegularGridInterpolator
from srcgrad.scipy.interpolation.lagrange import (
    BarycentricInterpolator,
    KroghInterpolator,
)
from srcgrad.scipy.interpolation.pieces import BPoly, PPoly
from srcgrad.scipy.interpolation.radial import RBFInterpolator
from srcgrad.scipy.interpolation.scattered import LinearNDInterpolator, places_of
from srcgrad.scipy.interpolation.splines import interp1d
from srcgrad.scipy.interpolation.surfaces import surface

OF_PIECES = (
    *(interpolate.PPoly, interpolate.CubicSpline, interpolate.CubicHermiteSpline),
    *(interpolate.PchipInterpolator, interpolate.Akima1DInterpolator),
)
UNIVARIATE = (
    *(interpolate.UnivariateSpline, interpolate.InterpolatedUnivariateSpline),
    interpolate.LSQUnivariateSpline,
)
SURFACES = (
    *(interpolate.RectBivariateSpline, interpolate.LSQBivariateSpline),
    interpolate.SmoothBivariateSpline,
)
# The orders of splines that `interp1d` keeps as one kind.
KINDS = {"spline": lambda table: table._spline.k}


def of_pieces(spline: Any) -> Any:
    kind: Any = BPoly if isinstance(spline, interpolate.BPoly) else PPoly
    return kind.construct_fast(spline.c, spline.x, spline.extrapolate, spline.axis)


def of_knots(spline: Any) -> Any:
    return BSpline.construct_fast(
        spline.t, spline.c, spline.k, spline.extrapolate, spline.axis
    )


def univariate(spline: Any) -> Callable[..., Any]:
    def call(x: Any, nu: int = 0, ext: Any = None) -> Any:
        return splev(x, spline._eval_args, nu, spline.ext if ext is None else ext)

    return call


def surface_of(spline: Any) -> Callable[..., Any]:
    def call(x: Any, y: Any, dx: int = 0, dy: int = 0, grid: bool = True) -> Any:
        return surface((*spline.tck, *spline.degrees), x, y, dx, dy, grid)

    return call


def of_table(table: Any) -> Any:
    kind = KINDS.get(table._kind, lambda table: table._kind)(table)
    return interp1d(
        *(table.x, table.y, kind, table.axis, False),
        table.bounds_error,
        table.fill_value,
        assume_sorted=True,
    )


def by_points(of: Any) -> Callable[[Any], Any]:
    def make(polynomial: Any) -> Any:
        shape = len(polynomial.xi), *polynomial._y_extra_shape
        values = np.moveaxis(np.reshape(polynomial.yi, shape), 0, polynomial._y_axis)
        return of(polynomial.xi, values, polynomial._y_axis)

    return make


def of_grid(table: Any) -> Any:
    return RegularGridInterpolator(
        *(table.grid, table.values, table.method),
        *(table.bounds_error, table.fill_value),
    )


def over_triangles(own: Any) -> Callable[[Any], Any]:
    def make(table: Any) -> Any:
        values = np.reshape(table.values, (-1, *table.values_shape))
        made = own(table.tri, values, table.fill_value)
        made.is_rescaled = table.scale is not None
        return made

    return make


def nearest(table: Any) -> Callable[..., Any]:
    return lambda *args, **options: table(*places_of(args), **options)


def radial(field: Any) -> Any:
    values = np.reshape(field.d.view(field.d_dtype), (-1, *field.d_shape))
    return RBFInterpolator(
        *(field.y, values, field.neighbors, field.smoothing),
        *(field.kernel, field.epsilon),
        int(np.max(np.sum(field.powers, axis=1), initial=-1)),
    )


OBJECTS.update(dict.fromkeys((*OF_PIECES, interpolate.BPoly), of_pieces))
OBJECTS.update(dict.fromkeys(UNIVARIATE, univariate))
OBJECTS.update(dict.fromkeys(SURFACES, surface_of))
OBJECTS[interpolate.BSpline] = of_knots
OBJECTS[interpolate.interp1d] = of_table
OBJECTS[interpolate.RegularGridInterpolator] = of_grid
OBJECTS[interpolate.RBFInterpolator] = radial
OBJECTS[interpolate.NearestNDInterpolator] = nearest
OBJECTS[interpolate.LinearNDInterpolator] = over_triangles(LinearNDInterpolator)
OBJECTS[interpolate.CloughTocher2DInterpolator] = over_triangles(
    CloughTocher2DInterpolator
)
for _original, _own in (
    (interpolate.BarycentricInterpolator, BarycentricInterpolator),
    (interpolate.KroghInterpolator, KroghInterpolator),
):
    OBJECTS[_original] = by_points(_own)
