"""Samples for the rules of ``srcgrad.rules.scipy.quadrature``."""

import numpy as np
from scipy import integrate

from tests.samples import Constant, Made, S

DOUBLE = (np.float64,)
PLACES = np.array([0.0, 0.3, 0.8, 1.5, 1.9, 2.2])
RISING = Made(lambda rng, dtype: np.array([0.0, 0.3, 0.8, 1.5], dtype), (4,))

SAMPLES = [
    S(integrate.trapezoid, (2, 6), dx=0.5),
    S(integrate.trapezoid, (2, 4), RISING),
    S(integrate.trapezoid, (4, 2), RISING, axis=0),
    S(integrate.cumulative_trapezoid, (2, 4), RISING, initial=0),
    S(integrate.cumulative_trapezoid, (2, 4), (2, 4), dtypes=DOUBLE),
    S(integrate.simpson, (2, 5), dx=0.5),
    S(integrate.simpson, (2, 6), x=PLACES, dtypes=DOUBLE),
    S(integrate.simpson, (6, 2), x=PLACES, axis=0, dtypes=DOUBLE),
    S(integrate.cumulative_simpson, (2, 6), x=PLACES, dtypes=DOUBLE),
    S(integrate.cumulative_simpson, (6, 2), axis=0, initial=0, dtypes=DOUBLE),
    S(integrate.romb, (2, 5), Constant(0.5)),
    S(integrate.romb, (5, 2), axis=0),
]
