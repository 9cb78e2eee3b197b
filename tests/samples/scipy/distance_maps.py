"""Samples for the rules of ``srcgrad.rules.scipy.ndimage.distance_maps``."""

import numpy as np
from scipy import ndimage

from tests.samples import Constant, S, positive

IMAGE = Constant(np.array([[0, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 0]]))
DOUBLE = (np.float64,)

SAMPLES = [
    S(
        *(ndimage.distance_transform_edt, IMAGE, positive(2)),
        dtypes=DOUBLE,
        return_indices=True,
    ),
    S(ndimage.distance_transform_edt, IMAGE, sampling=positive(), dtypes=DOUBLE),
    S(ndimage.distance_transform_bf, IMAGE, sampling=positive(2), dtypes=DOUBLE),
]
