"""Samples for the rules of ``srcgrad.rules.scipy.special.sequences``."""

import numpy as np
from scipy import special

from srcgrad.rules.scipy.special import sequences
from tests.samples import Constant, S, within
from tests.samples.scipy.harmonics import in_doubles

DOUBLE = (np.float64,)
INSIDE, POINT = within(-0.9, 0.9, 3), within(0.5, 2.0)
TWO, ORDER = Constant(2), Constant(2.3)


def one(function, *specs, **kwargs):
    return S(function, *specs, dtypes=DOUBLE, only_real=True, **kwargs)


SAMPLES = [
    one(special.lqn, TWO, INSIDE),
    one(special.lqmn, Constant(1), TWO, within(0.2, 0.9, 2)),
    one(sequences.lmbda, ORDER, POINT),
    one(sequences.pbdv_seq, ORDER, POINT),
    one(sequences.pbvv_seq, ORDER, POINT),
    one(sequences.pbdn_seq, TWO, POINT),
    one(sequences.riccati_jn, TWO, POINT, call=in_doubles(sequences.riccati_jn)),
    one(sequences.riccati_yn, TWO, POINT, call=in_doubles(sequences.riccati_yn)),
    one(special.legendre_p_all, TWO, INSIDE),
    one(special.assoc_legendre_p_all, TWO, Constant(1), INSIDE),
    one(special.sph_legendre_p_all, TWO, Constant(1), within(0.3, 2.8, 3)),
    one(special.sph_harm_y_all, TWO, Constant(1), within(0.3, 2.8, 2), (2,)),
]
