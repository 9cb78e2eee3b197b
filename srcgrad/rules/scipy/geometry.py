"""Rules for ``scipy.spatial``: distances between points, shapes laid on each other."""

import numpy as np
from scipy import spatial
from scipy.spatial import distance

from srcgrad.rules.compositions import defined_as
from srcgrad.rules.libraries import reaching
from srcgrad.rules.scipy.precision import doubles
from srcgrad.rules.scipy.scipy_sources import as_in_scipy
from srcgrad.rules.scipy.without import refuse

cdist = reaching(distance.cdist)


# ----- Distances -----
def minkowski_distance_p(x, y, p=2.0):
    """``scipy.spatial.minkowski_distance_p``"""
    apart = np.abs(doubles(y) - doubles(x))
    if p == np.inf:
        return np.max(apart, axis=-1)
    return np.sum(apart if p == 1 else apart**p, axis=-1)


def minkowski_distance(x, y, p=2.0):
    """``scipy.spatial.minkowski_distance``, with no slope where both are one point."""
    if p in (1, np.inf):
        return minkowski_distance_p(x, y, p)
    return np.linalg.norm(doubles(y) - doubles(x), p, axis=-1)


def directed_hausdorff(u, v, rng=0):
    """``scipy.spatial.distance.directed_hausdorff``"""
    apart = cdist(u, v)
    nearest = np.argmin(apart, axis=1)
    least = np.min(apart, axis=1)
    i = int(np.argmax(least))
    return least[i], i, int(nearest[i])


# ----- Shapes -----
def geometric_slerp(start, end, t, tol=1e-7):
    """``scipy.spatial.geometric_slerp``, of points on a sphere that differ."""
    start, end, t = doubles(start), doubles(end), doubles(t)
    for point in (start, end):
        if not np.allclose(np.linalg.norm(point), 1.0, rtol=1e-9, atol=0):
            raise ValueError("start and end are not on a unit n-sphere")
    if np.all(start == end):
        refuse("geometric_slerp between equal points", "they have no direction")
    cosine = start @ end
    across = end - cosine * start
    sine = np.linalg.norm(across)
    angles = t[..., None] * np.arctan2(sine, cosine)
    return start * np.cos(angles) + across / sine * np.sin(angles)


as_in_scipy(spatial, "distance_matrix procrustes")
for _own in (minkowski_distance_p, minkowski_distance):
    defined_as(getattr(spatial, _own.__name__), _own)
defined_as(spatial.geometric_slerp, geometric_slerp)
defined_as(distance.directed_hausdorff, directed_hausdorff)
