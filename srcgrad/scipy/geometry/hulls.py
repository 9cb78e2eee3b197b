"""``scipy.spatial``: hulls, cells and trees, by their points.

Which points belong together is a step; where the points are is not.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import spatial
>>> corners = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 1.0]])
>>> points = srcgrad.Variable(corners, requires_grad=True)
>>> spatial.ConvexHull(points).volume.backward()
>>> points.grad.data[0].round(6)
array([-0.5, -1. ])
"""

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import spatial

from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.libraries import REPLACEMENTS
from srcgrad.rules.scipy import geometry
from srcgrad.scipy.parameters import refuse

distance: Callable[..., Any] = geometry.minkowski_distance


class OfPoints:
    """What these share: they are SciPy's, with what depends on Variables made anew."""

    lost: tuple[str, ...] = ()  # what SciPy has of numbers alone

    def __init__(self, points, *args, **kwargs):
        super().__init__(raw_of(points), *args, **kwargs)
        if first_variable(points) is not None:
            for name in self.lost:
                self.__dict__.pop(name, None)
            self.own = points
            self.min_bound = np.min(points, axis=0)
            self.max_bound = np.max(points, axis=0)
            self.fill(points)

    def fill(self, points):
        """Put in what is made of the points."""

    def __getattr__(self, name):
        if name in self.lost:
            refuse(f"spatial.{type(self).__name__}", f"by its `{name}`")
        raise AttributeError(name)

    @property
    def points(self):
        return vars(self).get("own", self._points)

    def add_points(self, points, restart=False):
        if "own" in vars(self) or first_variable(points) is not None:
            refuse(f"spatial.{type(self).__name__}", "by points that are added")
        super().add_points(points, restart)


class ConvexHull(OfPoints, spatial.ConvexHull):
    """``scipy.spatial.ConvexHull``"""

    lost = ("equations",)

    def fill(self, points):
        n = np.shape(points)[1]
        corners = points[self.simplices]
        middle = np.mean(points, axis=0)
        sizes = np.abs(np.linalg.det(corners - middle))
        self.volume = np.sum(sizes) / math.factorial(n)
        edges = corners[:, 1:] - corners[:, :1]
        squares = np.linalg.det(edges @ np.swapaxes(edges, 1, 2))
        self.area = np.sum(np.sqrt(squares)) / math.factorial(n - 1)


class Delaunay(OfPoints, spatial.Delaunay):
    """``scipy.spatial.Delaunay``: which triangle a point is in is a step."""

    lost = ("equations", "paraboloid_scale", "paraboloid_shift")

    @property
    def transform(self):
        if "own" in vars(self):
            refuse("spatial.Delaunay", "by its `transform`")
        return super().transform

    def find_simplex(self, xi, *args, **kwargs):
        if "own" in vars(self):
            plain = spatial.Delaunay(self._points)
            return plain.find_simplex(raw_of(xi), *args, **kwargs)
        return super().find_simplex(raw_of(xi), *args, **kwargs)


class Voronoi(OfPoints, spatial.Voronoi):
    """``scipy.spatial.Voronoi``: each vertex is as far from some points."""

    vertices: Any

    def fill(self, points):
        n = np.shape(points)[1]
        _, near = spatial.KDTree(raw_of(points)).query(self.vertices, n + 1)
        first, others = points[near[:, 0]], points[near[:, 1:]]
        apart = others - first[:, None, :]
        squares = 0.5 * np.sum(apart**2, axis=2)
        self.vertices = first + np.linalg.solve(apart, squares[:, :, None])[:, :, 0]


# What SciPy has of the hull of the dual points.
LOST_OF_DUAL = (
    *("dual_points", "dual_equations", "dual_area", "dual_volume"),
    *("min_bound", "max_bound"),
)


class HalfspaceIntersection(spatial.HalfspaceIntersection):
    """``scipy.spatial.HalfspaceIntersection``: at each corner some planes meet."""

    def __init__(self, halfspaces, interior_point, **options):
        super().__init__(raw_of(halfspaces), raw_of(interior_point), **options)
        if first_variable(halfspaces) is not None:
            n = self.ndim
            planes = halfspaces[np.array([facet[:n] for facet in self.dual_facets])]
            found = np.linalg.solve(planes[..., :n], -planes[..., n:])
            self.intersections = found[..., 0]
            self.own = halfspaces
            for name in LOST_OF_DUAL:
                self.__dict__.pop(name, None)

    @property
    def halfspaces(self):
        return vars(self).get("own", super().halfspaces)

    def __getattr__(self, name):
        if name in LOST_OF_DUAL:
            refuse("spatial.HalfspaceIntersection", f"by its `{name}`")
        raise AttributeError(name)


class OfNeighbours:
    """Trees of points: who is near is a step, how near is not."""

    def __init__(self, data, *args, **kwargs):
        super().__init__(raw_of(data), *args, **kwargs)
        self.own = data

    @property
    def data(self):
        if first_variable(self.own) is None:
            return super().data
        return self.own

    @property
    def mins(self):
        is_plain = first_variable(self.own) is None
        return super().mins if is_plain else np.min(self.own, axis=0)

    @property
    def maxes(self):
        is_plain = first_variable(self.own) is None
        return super().maxes if is_plain else np.max(self.own, axis=0)

    @property
    def tree(self):
        if first_variable(self.own) is not None:
            refuse("spatial.KDTree", "by its `tree`")
        return super().tree

    def query(self, x, *args, **kwargs):
        return asked(super().query, self.own, x, *args, **kwargs)

    def checked(self, name, *args, **kwargs):
        if first_variable((self.own, args)) is not None:
            refuse("spatial.KDTree", f"by its `{name}`")
        return getattr(super(), name)(*args, **kwargs)

    def sparse_distance_matrix(self, *args, **kwargs):
        return self.checked("sparse_distance_matrix", *args, **kwargs)

    def query_ball_point(self, x, r, *args, **kwargs):
        return super().query_ball_point(raw_of(x), raw_of(r), *args, **kwargs)


def asked(query, own, x, k=1, eps=0.0, p=2.0, *rest, **more):
    """What a tree's ``query`` finds, the distances by its points and by ``x``."""
    found, which = query(raw_of(x), k, eps, p, *rest, **more)
    if first_variable((x, own)) is None:
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


class KDTree(OfNeighbours, spatial.KDTree):
    """``scipy.spatial.KDTree``"""


class cKDTree(OfNeighbours, spatial.cKDTree):  # noqa: N801 - SciPy's name
    """``scipy.spatial.cKDTree``"""


for _own in (ConvexHull, Delaunay, Voronoi, HalfspaceIntersection, KDTree, cKDTree):
    REPLACEMENTS[getattr(spatial, _own.__name__)] = _own
for _kind in (spatial.KDTree, spatial.cKDTree):
    REPLACEMENTS[_kind.query] = of_made(_kind.query)
