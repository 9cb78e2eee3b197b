"""Rules for ``scipy.spatial``: distances between points, shapes laid on each other."""

import numpy as np
from scipy import spatial
from scipy.spatial import distance

from srcgrad.rules.compositions import defined_as
from srcgrad.rules.libraries import reaching
from srcgrad.rules.scipy.precision import doubles
from srcgrad.rules.scipy.scipy_sources import as_in_scipy

cdist = reaching(distance.cdist)
distance_p = reaching(spatial.minkowski_distance_p)


# ----- Distances -----
def minkowski_distance(x, y, p=2.0):
    """``scipy.spatial.minkowski_distance``, with no slope where both are one point."""
    if p in (1, np.inf):
        return distance_p(x, y, p)
    return np.linalg.norm(doubles(y) - doubles(x), p, axis=-1)


def directed_hausdorff(u, v, rng=0):
    """``scipy.spatial.distance.directed_hausdorff``"""
    apart = cdist(u, v)
    nearest = np.argmin(apart, axis=1)
    least = np.min(apart, axis=1)
    i = int(np.argmax(least))
    return least[i], i, int(nearest[i])


# ----- Shapes -----
as_in_scipy(spatial, "distance_matrix procrustes geometric_slerp minkowski_distance_p")
defined_as(spatial.minkowski_distance, minkowski_distance)
defined_as(distance.directed_hausdorff, directed_hausdorff)
