"""``scipy.spatial.SphericalVoronoi``: cells on a circle or sphere, by their points."""

import numpy as np
from scipy import spatial

from srcgrad.protocols import raw_of
from srcgrad.scipy.parameters import refuse
from srcgrad.scipy.replacing import OfVariables, of_variables, replace_class


@replace_class(spatial)
class SphericalVoronoi(OfVariables, spatial.SphericalVoronoi):
    """``scipy.spatial.SphericalVoronoi``: which points are neighbours is a step."""

    def hold(self, points, radius, center):
        if not self.has_variables:
            return
        if self._dim > 3:
            refuse("spatial.SphericalVoronoi", "in more than three dimensions")
        self.points, self.radius = points, radius
        self.center = np.zeros(self._dim) if center is None else center
        sides = self.points[self._simplices]
        normals = across(sides[:, 1:] - sides[:, :1])
        normals = normals / np.sqrt(np.sum(normals**2, axis=1, keepdims=True))
        outwards = self.raw("vertices") - raw_of(self.center)
        signs = np.sign(np.sum(raw_of(normals) * outwards, axis=1, keepdims=True))
        self.vertices = self.radius * signs * normals + self.center

    @of_variables
    def calculate_areas(self):
        return self.lengths() if self._dim == 2 else self.areas()

    def lengths(self):
        """Of the arcs of a circle."""
        arcs = self.points[self._simplices] - self.center
        squares = np.sum((arcs[:, 1] - arcs[:, 0]) ** 2, axis=1)
        angles = np.arccos(1.0 - squares / (2.0 * self.radius**2))
        is_other_way = np.sum(arcs[:, 0] * (self.vertices - self.center), axis=1) < 0
        return self.radius * np.where(is_other_way, 2.0 * np.pi - angles, angles)

    def areas(self):
        """Of the cells of a sphere, each cut into triangles around its point."""
        self.sort_vertices_of_regions()
        sizes = [len(region) for region in self.regions]
        which = np.repeat(np.arange(len(sizes)), sizes)
        ends = np.concatenate([np.asarray(region) for region in self.regions])
        others = np.concatenate([np.roll(region, 1) for region in self.regions])
        points, vertices = (
            (each - self.center) / self.radius for each in (self.points, self.vertices)
        )
        a, b, c = points[which], vertices[ends], vertices[others]
        volumes = np.linalg.det(np.stack([a, b, c], axis=1))
        cosines = (np.sum(u * v, axis=1) for u, v in ((a, b), (b, c), (c, a)))
        angles = np.abs(2.0 * np.arctan2(volumes, 1.0 + sum(cosines)))
        return self.radius**2 * np.bincount(which, angles, len(sizes))


def across(sides):
    """What is at right angles to the sides of each simplex."""
    if np.shape(sides)[1] == 1:
        return sides[:, 0, ::-1] * np.array([1.0, -1.0])
    return np.cross(sides[:, 0], sides[:, 1])
