"""Samples for the rules of ``srcgrad.rules.scipy.ndimage.measurements``."""

import numpy as np
from scipy import ndimage

from srcgrad.rules.libraries import replacement_of
from tests.samples import Constant, S, positive
from tests.samples.scipy.filters import REALS, of

LABELS = Constant(np.array([[0, 1, 1], [2, 2, 1]]))
BOTH = Constant(np.array([2, 1]))
COMPLEX = (np.complex128,)


SAMPLES = [
    *(
        of(getattr(ndimage, name), (2, 3), LABELS, BOTH)
        for name in (
            *("sum", "sum_labels", "mean", "variance", "standard_deviation"),
            *("maximum", "minimum", "median"),
        )
    ),
    of(ndimage.mean, (2, 3), LABELS),
    of(ndimage.variance, (5,)),
    of(ndimage.center_of_mass, positive(2, 3), LABELS, BOTH),
    of(ndimage.center_of_mass, positive(4)),
    S(ndimage.fourier_gaussian, (3, 4), positive(), dtypes=REALS),
    S(ndimage.fourier_uniform, (3, 4), positive(2), n=6, axis=1, dtypes=REALS),
    S(ndimage.fourier_ellipsoid, (3, 4), 2.0, dtypes=REALS),
    of(
        ndimage.extrema,
        *((2, 3), LABELS, BOTH),
        call=lambda *args: replacement_of(ndimage.extrema)(*args)[:2],
    ),
    of(ndimage.fourier_shift, (3, 4), (2,)),
]
