"""Samples for the rules of ``srcgrad.rules.scipy.special.ellipsoidal``."""

import numpy as np
from scipy import special

from tests.samples import S, within

REAL = {"dtypes": (np.float64,), "only_real": True}
NUMBERS = ((0, 1), (1, 2), (2, 1), (3, 7), (4, 4), (5, 9))
AXES = within(3.0, 4.0), within(5.0, 6.0)

SAMPLES = [
    *(
        S(special.ellip_harm, *AXES, n, p, within(0.2, 1.6, 3), -1, -1, **REAL)
        for n, p in NUMBERS
    ),
    S(special.ellip_harm, within(3.0, 4.0, 2), 9.0, 3, 2, within(2.1, 2.9, 2), **REAL),
    *(
        S(special.ellip_harm_2, *AXES, n, p, within(2.6, 4.0, 2), **REAL)
        for n, p in NUMBERS[::2]
    ),
    *(S(special.ellip_normal, *AXES, n, p, **REAL) for n, p in NUMBERS[1::2]),
]
