"""``scipy.interpolate``: values at scattered points, by the values and all points."""

import numpy as np
from scipy import interpolate, spatial

from srcgrad.protocols import raw_of
from srcgrad.rules.libraries import REPLACEMENTS
from srcgrad.scipy.interpolation.grids import coordinates
from srcgrad.scipy.interpolation.pieces import in_first, spread
from srcgrad.scipy.interpolation.splines import interp1d
from srcgrad.scipy.parameters import refuse
from srcgrad.scipy.replacing import (
    OfVariables,
    is_plain,
    of_variables,
    raws,
    replace_class,
    replaces,
)


# ----- Triangles -----
class OverTriangles(OfVariables):
    """What these share: ``own`` are the points and the values."""

    MEMBERS = {
        "points": lambda self: self.own[0],
        "values": lambda self: self.own[1],
        "tri": lambda self: self.triangles(),
    }

    def __init__(self, points, *args, **kwargs):
        # Of Variables SciPy has points alone.
        is_made = isinstance(points, spatial.Delaunay)
        if is_made and not is_plain(points.points):
            points = points.points
        super().__init__(points, *args, **kwargs)

    def hold(self, points, values, fill_value, rescale):
        places = points.points if isinstance(points, spatial.Delaunay) else points
        if isinstance(places, tuple):
            places = coordinates(places, len(places))
        self.own = places, values
        self.outside, self.is_rescaled = fill_value, rescale

    @of_variables
    def __call__(self, *args, **kwargs):
        if kwargs or self.is_rescaled:
            refuse(f"interpolate.{type(self).__name__}", "with keywords, or rescaled")
        places, values = self.own
        ndim = np.shape(places)[1]
        x = coordinates(args[0] if len(args) == 1 else args, ndim)
        flat = np.reshape(x, (-1, ndim))
        tri = self.raw("tri")
        which = tri.find_simplex(raw_of(flat))
        corners = tri.simplices[np.maximum(which, 0)]
        out = self.between(shares(places[corners], flat), which, corners)
        out = np.where(in_first(which < 0, values), self.outside, out)
        return np.reshape(out, np.shape(x)[:-1] + np.shape(values)[1:])

    def triangles(self):
        places, tri = self.own[0], self.raw("tri")
        return tri if is_plain(places) else REPLACEMENTS[spatial.Delaunay](places)


def shares(corners, x):
    """The barycentric coordinates of points in triangles."""
    edges = np.swapaxes(corners[:, 1:] - corners[:, :1], 1, 2)
    found = np.linalg.solve(edges, (x - corners[:, 0])[:, :, None])[:, :, 0]
    return np.concatenate([1.0 - np.sum(found, axis=1)[:, None], found], axis=1)


@replace_class(interpolate)
class LinearNDInterpolator(OverTriangles, interpolate.LinearNDInterpolator):
    """``scipy.interpolate.LinearNDInterpolator``"""

    def between(self, share, which, corners):
        """The values at points with these shares of the corners of triangles."""
        values = self.own[1][corners]
        return np.sum(spread(share, np.ndim(values) - 2) * values, axis=1)


@replace_class(interpolate)
class NearestNDInterpolator(OfVariables, interpolate.NearestNDInterpolator):
    """``scipy.interpolate.NearestNDInterpolator``: who is nearest is a step."""

    def hold(self, x, y, rescale, tree_options):
        numbers = np.arange(np.shape(raw_of(x))[0], dtype=float)
        kind, self.own = interpolate.NearestNDInterpolator, y
        self.which = kind(raw_of(x), numbers, rescale, tree_options)

    @of_variables
    def __call__(self, *args, **options):
        if is_plain(self.own, args):
            return super().__call__(*args, **options)
        if options:
            refuse("interpolate.NearestNDInterpolator", "with options of the tree")
        return self.own[self.which(*raws(args)).astype(int)]


@replaces(interpolate.griddata)
def griddata(points, values, xi, method, fill_value, rescale):
    ndim = len(points) if isinstance(points, tuple) else np.ndim(points)
    if ndim == 1:
        places = points[0] if isinstance(points, tuple) else points
        at = xi[0] if isinstance(xi, tuple) else xi
        places = np.ravel(places) if is_plain(places) else places
        fill = "extrapolate" if method == "nearest" else fill_value
        return interp1d(places, values, method, 0, True, False, fill)(at)
    if isinstance(points, tuple):
        points = coordinates(points, ndim)
    if method == "nearest":
        return NearestNDInterpolator(points, values, rescale=rescale)(xi)
    if method == "cubic":
        smooth = REPLACEMENTS[interpolate.CloughTocher2DInterpolator]
        return smooth(points, values, fill_value, rescale=rescale)(xi)
    return LinearNDInterpolator(points, values, fill_value, rescale)(xi)
