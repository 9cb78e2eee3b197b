"""Samples for the rules of ``srcgrad.rules.scipy.special.noncentral``."""

import numpy as np
from scipy import special

from tests.samples import Constant, S, within

DOUBLE = (np.float64,)
DFN, DFD, NC, POINT = (
    within(low, high, 2) for low, high in ((2, 5), (4, 8), (1, 3), (0.5, 2))
)
SHARE = within(0.3, 0.6, 2)

# The order of a Bessel function stands in the way of more than one derivative by `df`.
SAMPLES = [
    S(special.chndtr, POINT, Constant(2.5), NC, tolerance=1e-3),
    S(special.chndtr, POINT, DFN, NC, dtypes=DOUBLE, second_order=False),
    S(special.chndtrix, SHARE, Constant(2.5), NC, tolerance=1e-3),
    S(special.chndtrix, SHARE, DFN, NC, dtypes=DOUBLE, second_order=False),
    S(
        special.chndtridf,
        POINT,
        within(0.1, 0.2, 2),
        NC,
        dtypes=DOUBLE,
        second_order=False,
    ),
    S(
        special.chndtrinc,
        within(4, 6, 2),
        DFN,
        SHARE,
        dtypes=DOUBLE,
        second_order=False,
    ),
    S(special.ncfdtr, DFN, DFD, NC, POINT, dtypes=DOUBLE),
    S(special.ncfdtri, DFN, DFD, NC, SHARE, dtypes=DOUBLE),
    S(
        special.ncfdtridfd,
        within(2.98, 3.02, 2),
        within(0.37, 0.38, 2),
        within(1.99, 2.01, 2),
        within(1.49, 1.51, 2),
        dtypes=DOUBLE,
    ),
    S(special.ncfdtrinc, DFN, DFD, within(0.05, 0.2, 2), POINT, dtypes=DOUBLE),
]
