"""Hulls, cells and trees: what depends on where the points are."""

import numpy as np
import pytest
import scipy.spatial

import srcgrad
from srcgrad.checking import gradcheck, gradgradcheck
from srcgrad.scipy import spatial
from tests.variables import variable

RNG = np.random.default_rng(0)
POINTS, SPACE = RNG.uniform(0.0, 1.0, (8, 2)), RNG.uniform(0.0, 1.0, (9, 3))
PLANES = np.array([[-1.0, 0.1, 0.0], [0.0, -1.0, 0.1], [1.0, 1.0, -1.0], [1, 0, -0.8]])


def sizes(points):
    hull = spatial.ConvexHull(points)
    return hull.volume, hull.area


CALLS = {
    "ConvexHull": (sizes, POINTS),
    "ConvexHull in space": (sizes, SPACE),
    "Voronoi": (lambda points: spatial.Voronoi(points).vertices, POINTS),
    "Delaunay": (lambda points: spatial.Delaunay(points).points ** 2, POINTS),
    "HalfspaceIntersection": (
        lambda planes: (
            spatial.HalfspaceIntersection(planes, np.array([0.2, 0.3])).intersections
        ),
        PLANES,
    ),
    "KDTree": (lambda points: spatial.KDTree(points).query(points[:3], 3)[0], POINTS),
    "KDTree, by its old name": (
        lambda points: spatial.cKDTree(points).query(points[:3] + 0.1, 3)[0],
        POINTS,
    ),
    "KDTree, one": (
        lambda points: spatial.KDTree(points).query(points[0] + 0.1, p=1)[0],
        POINTS,
    ),
    "KDTree, none": (
        lambda points: np.minimum(
            spatial.KDTree(points).query(points, 4, distance_upper_bound=0.4)[0], 9.0
        ),
        POINTS,
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_by_the_points(name):
    call, points = CALLS[name]
    found, expected = call(variable(points)), call(points)
    if not isinstance(found, tuple):
        found, expected = [found], [expected]
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours.data, theirs, atol=1e-12)
    if name.startswith("KDTree,"):
        assert gradcheck(call, (points,))
    elif name == "KDTree":  # each is nearest to itself, where there is a corner
        assert gradcheck(lambda points: call(points)[:, 1:], (points,))
    else:
        assert gradcheck(call, (points,))
        assert gradgradcheck(call, (points,))


def test_without_variables_they_are_scipys():
    for name in ("ConvexHull", "Delaunay", "Voronoi", "KDTree"):
        made = getattr(spatial, name)(POINTS)
        assert isinstance(made, getattr(scipy.spatial, name))
    assert spatial.ConvexHull(POINTS).equations.shape[1] == 3
    plain = spatial.Delaunay(POINTS)
    assert plain.transform.shape[1:] == (3, 2)
    middle = variable(POINTS.mean(axis=0))
    assert plain.find_simplex(middle) == plain.find_simplex(middle.data)
    assert spatial.Delaunay(variable(POINTS)).find_simplex(middle) >= 0
    near = spatial.KDTree(variable(POINTS)).query_ball_point(middle, 0.4)
    assert near == scipy.spatial.KDTree(POINTS).query_ball_point(middle.data, 0.4)
    tree = spatial.KDTree(POINTS)
    assert tree.sparse_distance_matrix(tree, 0.5).shape == (8, 8)
    grows = spatial.ConvexHull(POINTS, incremental=True)
    grows.add_points(POINTS + 1.0)


def test_what_has_no_derivative():
    points = variable(POINTS)
    tree = spatial.KDTree(points)
    for call, message in (
        (lambda: spatial.ConvexHull(points).equations, "equations"),
        (lambda: spatial.Delaunay(points).transform, "transform"),
        (lambda: spatial.Voronoi(points).add_points(POINTS), "that are added"),
        (lambda: tree.sparse_distance_matrix(tree, 1.0), "sparse_distance_matrix"),
    ):
        with pytest.raises(srcgrad.NoRuleError, match=message):
            call()
    with pytest.raises(AttributeError):
        spatial.ConvexHull(points).unknown  # noqa: B018
