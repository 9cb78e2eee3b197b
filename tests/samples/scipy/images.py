"""Samples for the rules of ``srcgrad.rules.scipy.ndimage.images``."""

import numpy as np
from scipy import ndimage

from tests.samples import Constant, S, positive

DOUBLE = (np.float64,)
COMPLEX = (np.float64, np.complex128)
MODES = ("reflect", "constant", "nearest", "mirror", "wrap")

SAMPLES = [
    *(S(ndimage.correlate, (4, 5), (3, 2), mode=mode, cval=0.5) for mode in MODES),
    S(ndimage.correlate, (6,), (3,), dtypes=COMPLEX),
    S(ndimage.correlate, (4, 5), (2, 3), origin=(0, -1), mode="wrap"),
    *(S(ndimage.convolve, (4, 5), (3, 2), mode=mode) for mode in MODES),
    S(ndimage.convolve, (6,), (4,), origin=1, dtypes=COMPLEX),
    S(ndimage.correlate1d, (4, 5), (3,), axis=0),
    S(ndimage.convolve1d, (4, 5), (4,), mode="mirror", dtypes=DOUBLE),
    S(ndimage.gaussian_filter1d, (8,), positive(), dtypes=DOUBLE, order=1),
    S(ndimage.gaussian_filter1d, (8,), Constant(0.7), order=2, mode="wrap"),
    S(ndimage.gaussian_filter, (5, 6), positive(), dtypes=DOUBLE),
    S(ndimage.gaussian_filter, (5, 6), Constant((1.0, 0.5)), order=(0, 1)),
    S(ndimage.gaussian_filter, (5, 6), Constant((0.0, 0.5)), truncate=3.0),
    S(ndimage.uniform_filter1d, (6,), Constant(3)),
    S(ndimage.uniform_filter, (5, 6), size=(3, 2), mode="constant"),
    S(ndimage.sobel, (5, 6), axis=0),
    S(ndimage.prewitt, (5, 6)),
    S(ndimage.laplace, (5, 6), mode="nearest"),
]
