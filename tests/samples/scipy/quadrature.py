"""Samples for the rules of ``srcgrad.rules.scipy.quadrature``."""

import numpy as np
from scipy import integrate

from srcgrad.rules.libraries import replacement_of
from tests.samples import Constant, Draw, Made, S, ascending, positive

DOUBLE = (np.float64,)
PLACES = np.array([0.0, 0.3, 0.8, 1.5, 1.9, 2.2])
RISING = Made(lambda rng, dtype: np.array([0.0, 0.3, 0.8, 1.5], dtype), (4,))

RISING_TO_4 = Made(lambda rng, dtype: np.array([0.9, 2.2, 3.1], dtype), (3,))
DOWN_AND_UP = Made(
    lambda rng, dtype: np.array([[3.0, 2.0, 0.5, 0.0], [0.0, 0.7, 1.5, 2.5]], dtype),
    (2, 4),
)


def weights_at(inner):
    """Of samples whose ends are where they have to be."""
    places = np.concatenate([[0.0], inner, [4.0]])
    return replacement_of(integrate.newton_cotes)(places)


SAMPLES = [
    S(integrate.trapezoid, (2, 6), dx=0.5),
    S(integrate.trapezoid, (2, 4), RISING),
    S(integrate.trapezoid, (4, 2), RISING, axis=0),
    S(integrate.cumulative_trapezoid, (2, 4), RISING, initial=0),
    S(integrate.cumulative_trapezoid, (2, 4), (2, 4), dtypes=DOUBLE),
    S(integrate.simpson, (2, 5), dx=0.5),
    S(integrate.simpson, (2, 6), x=PLACES, dtypes=DOUBLE),
    S(integrate.simpson, (6, 2), x=PLACES, axis=0, dtypes=DOUBLE),
    *(S(integrate.simpson, (2, n), x=ascending(n), dtypes=DOUBLE) for n in (2, 3, 6)),
    S(integrate.simpson, (5, 2), x=ascending(5), axis=0, dtypes=DOUBLE),
    S(integrate.simpson, (2, 4), x=DOWN_AND_UP, dtypes=DOUBLE),
    S(integrate.simpson, (2, 5), dx=positive(), dtypes=DOUBLE),
    S(integrate.newton_cotes, RISING_TO_4, dtypes=DOUBLE, call=weights_at),
    S(integrate.cumulative_simpson, (2, 6), x=PLACES, dtypes=DOUBLE),
    S(integrate.cumulative_simpson, (6, 2), axis=0, initial=0, dtypes=DOUBLE),
    *(
        S(integrate.cumulative_simpson, (2, n), x=ascending(n), dtypes=DOUBLE)
        for n in (2, 3, 6)
    ),
    S(integrate.cumulative_simpson, (5, 2), x=ascending(5), axis=0, dtypes=DOUBLE),
    S(
        *(integrate.cumulative_simpson, (2, 4)),
        x=np.array([[0.0, 0.7, 1.5, 2.5], [0.0, 0.3, 0.8, 1.9]]),
        initial=Draw(()),
        dtypes=DOUBLE,
    ),
    S(
        *(integrate.cumulative_simpson, (2, 5)),
        dx=positive(2, 1),
        initial=Draw((2, 1)),
        dtypes=DOUBLE,
    ),
    S(integrate.cumulative_simpson, (5, 2), dx=positive(), axis=0, dtypes=DOUBLE),
    S(integrate.romb, (2, 5), Constant(0.5)),
    S(integrate.romb, (5, 2), axis=0),
    S(integrate.romb, (2, 5), positive()),
]
