"""Samples for the rules of ``srcgrad.rules.scipy.special.hypergeometric``."""

import numpy as np
from scipy import special

from tests.samples import COMPLEX, Constant, S, positive, within

FIRST, LAST = within(0.3, 1.9, 2), within(2.2, 4.0, 2)


def by_all(function, *specs):
    return S(function, *specs, dtypes=(np.float64,), only_real=True)


SAMPLES = [
    S(special.hyp0f1, Constant(1.5), positive(3), dtypes=COMPLEX),
    S(special.hyp1f1, Constant(0.5), Constant(1.5), (3,), dtypes=COMPLEX),
    S(
        special.hyp2f1,
        *(Constant(0.5), Constant(1.5), Constant(2.5)),
        within(-0.6, 0.6, 4),
        dtypes=COMPLEX,
    ),
    S(special.hyperu, Constant(0.5), Constant(1.5), positive(3)),
    S(special.wright_bessel, Constant(0.5), Constant(1.5), positive(3)),
    S(special.log_wright_bessel, Constant(0.5), Constant(1.5), positive(3)),
    by_all(special.hyperu, within(-1.4, 1.9, 2), LAST, positive(2)),
    by_all(special.hyp0f1, within(0.5, 3.0, 2), within(-2.0, 3.0, 2)),
    by_all(special.hyp1f1, FIRST, LAST, (2,)),
    by_all(special.hyp2f1, FIRST, within(0.3, 2.0, 2), LAST, within(-2.0, 0.6, 2)),
    by_all(special.wright_bessel, FIRST, LAST, positive(2)),
    by_all(special.log_wright_bessel, FIRST, LAST, positive(2)),
    S(special.lambertw, positive(3), dtypes=COMPLEX),
    S(special.lambertw, within(-0.3, -0.1, 3), Constant(-1), dtypes=(np.float64,)),
    S(special.wrightomega, (4,), dtypes=COMPLEX),
]
