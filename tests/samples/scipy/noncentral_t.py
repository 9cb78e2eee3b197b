"""Samples for the rules of ``srcgrad.rules.scipy.special.noncentral_t``."""

import numpy as np
from scipy import special

from tests.samples import S, within

DOUBLE = (np.float64,)
DF, NC, POINT = within(2, 5, 2), within(-1, 1, 2), within(0.5, 2, 2)
SHARE = within(0.3, 0.6, 2)

SAMPLES = [
    S(special.nctdtr, DF, NC, POINT, dtypes=DOUBLE),
    S(special.nctdtrit, DF, NC, SHARE, dtypes=DOUBLE),
    S(
        special.nctdtridf,
        within(0.72, 0.73, 2),
        within(0.4, 0.41, 2),
        within(1.1, 1.11, 2),
        dtypes=DOUBLE,
    ),
    S(special.nctdtrinc, DF, SHARE, POINT, dtypes=DOUBLE),
]
