"""``scipy.spatial``: hulls, cells and trees, by their points.

Which points belong together is a step; where the points are is not.
"""

import functools
import math

import numpy as np
from scipy import spatial

from srcgrad.protocols import raw_of
from srcgrad.rules.libraries import REPLACEMENTS
from srcgrad.rules.scipy import geometry
from srcgrad.scipy.object_members import WithMembers
from srcgrad.scipy.parameters import refuse
from srcgrad.scipy.replacing import is_plain, of_variables, replace_class

distance = geometry.minkowski_distance


class OfPoints(WithMembers):
    """What these share: they are SciPy's, with what depends on Variables made anew."""

    own = None

    def __init__(self, points, *args, **kwargs):
        super().__init__(raw_of(points), *args, **kwargs)
        self.own, self.has_variables = points, not is_plain(points)


BOUNDS = {
    "points": lambda self: self.own,
    "min_bound": lambda self: np.min(self.own, axis=0),
    "max_bound": lambda self: np.max(self.own, axis=0),
}


class OfHull(OfPoints):
    @of_variables
    def add_points(self, points, restart=False):
        refuse(f"spatial.{type(self).__name__}", "by points that are added")


def volume(hull):
    corners = hull.own[hull.simplices]
    sizes = np.abs(np.linalg.det(corners - np.mean(hull.own, axis=0)))
    return np.sum(sizes) / math.factorial(np.shape(hull.own)[1])


def area(hull):
    corners = hull.own[hull.simplices]
    edges = corners[:, 1:] - corners[:, :1]
    squares = np.linalg.det(edges @ np.swapaxes(edges, 1, 2))
    return np.sum(np.sqrt(squares)) / math.factorial(np.shape(hull.own)[1] - 1)


@replace_class(spatial)
class ConvexHull(OfHull, spatial.ConvexHull):
    """``scipy.spatial.ConvexHull``"""

    MEMBERS = {**BOUNDS, "volume": volume, "area": area, "equations": None}


@replace_class(spatial)
class Delaunay(OfHull, spatial.Delaunay):
    """``scipy.spatial.Delaunay``: which triangle a point is in is a step."""

    MEMBERS = {
        **BOUNDS,
        **dict.fromkeys(("equations", "paraboloid_scale", "paraboloid_shift")),
        "transform": None,
    }

    def find_simplex(self, xi, *args, **kwargs):
        find = super().find_simplex
        if self.has_variables:  # SciPy reads what is lost
            find = spatial.Delaunay(self._points).find_simplex
        return find(raw_of(xi), *args, **kwargs)


def vertices(cells):
    """Each vertex is as far from some points."""
    points, found = cells.own, cells.raw("vertices")
    _, near = spatial.KDTree(raw_of(points)).query(found, np.shape(points)[1] + 1)
    first, others = points[near[:, 0]], points[near[:, 1:]]
    apart = others - first[:, None, :]
    squares = 0.5 * np.sum(apart**2, axis=2)
    return first + np.linalg.solve(apart, squares[:, :, None])[:, :, 0]


@replace_class(spatial)
class Voronoi(OfHull, spatial.Voronoi):
    """``scipy.spatial.Voronoi``"""

    MEMBERS = {**BOUNDS, "vertices": vertices}


def corners(item):
    """At each corner some planes meet."""
    n = item.ndim
    planes = item.own[np.array([facet[:n] for facet in item.dual_facets])]
    return np.linalg.solve(planes[..., :n], -planes[..., n:])[..., 0]


@replace_class(spatial)
class HalfspaceIntersection(OfPoints, spatial.HalfspaceIntersection):
    """``scipy.spatial.HalfspaceIntersection``"""

    MEMBERS = {
        "halfspaces": lambda self: self.own,
        "intersections": corners,
        # What SciPy has of the hull of the dual points.
        **dict.fromkeys(("dual_points", "dual_equations", "dual_area", "dual_volume")),
        **dict.fromkeys(("min_bound", "max_bound")),
    }

    def __init__(self, halfspaces, interior_point, **options):
        super().__init__(halfspaces, raw_of(interior_point), **options)


class OfNeighbours(OfPoints):
    """Trees of points: who is near is a step, how near is not."""

    MEMBERS = {
        "data": lambda self: self.own,
        "mins": lambda self: np.min(self.own, axis=0),
        "maxes": lambda self: np.max(self.own, axis=0),
        "tree": None,
        "sparse_distance_matrix": "by its `sparse_distance_matrix`",
    }

    def query(self, x, *args, **kwargs):
        return asked(super().query, self.own, x, *args, **kwargs)

    def query_ball_point(self, x, r, *args, **kwargs):
        return super().query_ball_point(raw_of(x), raw_of(r), *args, **kwargs)


def asked(query, own, x, k=1, eps=0.0, p=2.0, *rest, **more):
    """What a tree's ``query`` finds, the distances by its points and by ``x``."""
    found, which = query(raw_of(x), k, eps, p, *rest, **more)
    if is_plain(x, own):
        return found, which
    is_there = np.isfinite(found)
    near = own[np.where(is_there, which, 0)]
    if np.ndim(which) == np.ndim(x):
        x = x[..., None, :]
    return np.where(is_there, distance(x, near, p), np.inf), which


def of_made(original):
    """``query`` of a tree that SciPy has made."""

    @functools.wraps(original)
    def query(self, x, *args, **kwargs):
        found = functools.partial(original, self)
        return asked(found, self.data, x, *args, **kwargs)

    return query


@replace_class(spatial)
class KDTree(OfNeighbours, spatial.KDTree):
    """``scipy.spatial.KDTree``"""


@replace_class(spatial)
class cKDTree(OfNeighbours, spatial.cKDTree):  # noqa: N801 - SciPy's name
    """``scipy.spatial.cKDTree``"""


for _kind in (spatial.KDTree, spatial.cKDTree):
    REPLACEMENTS[_kind.query] = of_made(_kind.query)
