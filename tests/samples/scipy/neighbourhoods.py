"""Samples for the rules of ``srcgrad.rules.scipy.ndimage.neighbourhoods``."""

import numpy as np
from scipy import ndimage

from tests.samples import Constant, within
from tests.samples.scipy.filters import of

CROSS = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], bool)
IMAGE = (4, 5)
WEIGHTS = Constant(np.array([[0.1, 0.2, 0.0], [0.3, 0.0, 0.4]]))

SAMPLES = [
    of(ndimage.maximum_filter1d, IMAGE, 4, 0, origin=1),
    of(ndimage.minimum_filter1d, IMAGE, 3, mode="mirror"),
    of(ndimage.maximum_filter, IMAGE, [2, 3], mode=["wrap", "nearest"]),
    of(ndimage.minimum_filter, IMAGE, footprint=CROSS, mode="constant", cval=0.5),
    of(ndimage.grey_erosion, IMAGE, structure=WEIGHTS),
    of(ndimage.grey_dilation, IMAGE, structure=WEIGHTS, origin=[0, 1]),
    of(ndimage.grey_dilation, IMAGE, 2),
    of(ndimage.grey_opening, IMAGE, [2, 3]),
    of(ndimage.grey_closing, IMAGE, footprint=CROSS),
    *(
        of(getattr(ndimage, name), (7,), 3)
        for name in (
            "morphological_gradient",
            "morphological_laplace",
            "white_tophat",
            "black_tophat",
        )
    ),
    of(ndimage.median_filter, IMAGE, 3),
    of(ndimage.rank_filter, IMAGE, -2, footprint=CROSS, mode="nearest"),
    of(ndimage.percentile_filter, (7,), 25.0, 4),
    of(ndimage.gaussian_laplace, IMAGE, within(0.5, 0.8), radius=2),
    of(ndimage.gaussian_gradient_magnitude, IMAGE, 0.6, radius=2, mode="wrap"),
]
