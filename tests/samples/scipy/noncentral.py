"""Samples for the rules of ``srcgrad.rules.scipy.special.noncentral``."""

import functools

import numpy as np
from scipy import special

from tests.samples import Constant, S, within

DOUBLE = (np.float64,)
DFN, DFD, NC, POINT = (
    within(low, high, 2) for low, high in ((2, 5), (4, 8), (1, 3), (0.5, 2))
)
SHARE = within(0.3, 0.6, 2)

double = functools.partial(S, dtypes=DOUBLE)
once = functools.partial(S, dtypes=DOUBLE, second_order=False)

# The order of a Bessel function stands in the way of more than one derivative by `df`.
SAMPLES = [
    S(special.chndtr, POINT, Constant(2.5), NC, tolerance=1e-3),
    once(special.chndtr, POINT, DFN, NC),
    S(special.chndtrix, SHARE, Constant(2.5), NC, tolerance=1e-3),
    once(special.chndtrix, SHARE, DFN, NC),
    once(special.chndtridf, POINT, within(0.1, 0.2, 2), NC),
    once(special.chndtrinc, within(4, 6, 2), DFN, SHARE),
    double(special.ncfdtr, DFN, DFD, NC, POINT),
    double(special.ncfdtri, DFN, DFD, NC, SHARE),
    double(
        *(special.ncfdtridfd, within(2.98, 3.02, 2), within(0.37, 0.38, 2)),
        *(within(1.99, 2.01, 2), within(1.49, 1.51, 2)),
    ),
    double(special.ncfdtrinc, DFN, DFD, within(0.05, 0.2, 2), POINT),
]
