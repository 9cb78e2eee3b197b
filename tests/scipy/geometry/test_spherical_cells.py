"""Cells on circles and spheres, by their points."""

import numpy as np
import pytest
import scipy.spatial

import srcgrad
from srcgrad.checking import gradcheck
from srcgrad.scipy import spatial
from tests.variables import variable


def cells(module, points, radius, center):
    units = points / np.sqrt(np.sum(points**2, axis=1, keepdims=True))
    center = center + np.zeros(np.shape(points)[1])
    made = module.SphericalVoronoi(units * radius + center, radius, center)
    return made.vertices, made.calculate_areas()


@pytest.mark.parametrize("ndim", [2, 3])
def test_by_points_radius_and_center(ndim):
    points = np.random.default_rng(0).normal(size=(7, ndim))
    args = points, np.array(2.0), np.array(0.3)

    def call(*args):
        return cells(spatial, *args)

    expected = cells(scipy.spatial, *args)
    for function in (call, srcgrad.trace(call)):
        found = function(*map(variable, args))
        for ours, theirs in zip(found, expected, strict=True):
            np.testing.assert_allclose(ours.data, theirs, atol=1e-12)
    assert gradcheck(call, args)
    for ours, theirs in zip(call(*args), expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_only_in_two_and_three_dimensions():
    points = np.concatenate([np.eye(4), -np.eye(4)])
    with pytest.raises(srcgrad.NoRuleError, match="more than three"):
        spatial.SphericalVoronoi(variable(points))
