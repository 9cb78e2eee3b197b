"""Samples for the rules of ``srcgrad.rules.scipy.geometry``."""

import numpy as np
from scipy import spatial
from scipy.spatial import distance

from srcgrad.rules.libraries import replacement_of
from tests.samples import positive
from tests.samples.scipy.filters import of


def on_sphere(start, end, t):
    ends = (x / np.sqrt(np.sum(x * x)) for x in (start, end))
    return replacement_of(spatial.geometric_slerp)(*ends, t)


SAMPLES = [
    of(spatial.minkowski_distance, (2, 3), (3,), 3.0),
    of(spatial.minkowski_distance_p, (2, 3), (2, 3)),
    of(spatial.distance_matrix, (2, 3), (4, 3)),
    of(spatial.distance_matrix, (2, 3), (4, 3), p=np.inf),
    of(spatial.procrustes, (4, 2), (4, 2)),
    of(spatial.geometric_slerp, (3,), (3,), positive(2), call=on_sphere),
    of(distance.directed_hausdorff, (3, 2), (4, 2)),
]
