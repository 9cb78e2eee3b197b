"""Samples for the rules of ``srcgrad.rules.scipy.special.error_functions``."""

import numpy as np
from scipy import special

from tests.samples import COMPLEX, Constant, S, positive, within

SAMPLES = [
    S(special.erf, (2, 3), dtypes=COMPLEX),
    S(special.erfc, (3,), dtypes=COMPLEX),
    S(special.erfcx, (3,), dtypes=COMPLEX),
    S(special.erfi, within(-1.0, 1.0, 3), dtypes=COMPLEX),
    S(special.dawsn, (3,), dtypes=COMPLEX),
    S(special.wofz, (3,), dtypes=(np.complex128,)),
    S(special.erfinv, within(-0.9, 0.9, 4)),
    S(special.erfcinv, within(0.1, 1.9, 4)),
    S(special.ndtr, (4,), dtypes=COMPLEX),
    S(special.log_ndtr, within(-9.0, 3.0, 4), tolerance=1e-3),
    S(special.log_ndtr, within(-1.0, 1.0, 3), dtypes=(np.complex128,), id="complex"),
    S(special.ndtri, within(0.1, 0.9, 4)),
    S(special.ndtri_exp, within(-6.0, -0.1, 4)),
    S(special.owens_t, (4,), within(-1.5, 1.5, 2, 4)),
    S(special.nrdtrimn, within(0.1, 0.9, 3), positive(3), (3,)),
    S(special.nrdtrisd, (4,), within(0.6, 0.9, 4), within(3.0, 4.0, 4)),
    S(special.voigt_profile, (4,), positive(2, 1), positive(4)),
    S(special.expi, positive(3), dtypes=COMPLEX),
    S(special.exp1, positive(3), dtypes=COMPLEX),
    S(special.expn, Constant(np.array([0, 1, 2, 3])), positive(4)),
    S(special.fresnel, within(-1.5, 1.5, 4), dtypes=COMPLEX),
    S(special.sici, positive(3), dtypes=COMPLEX),
    S(special.shichi, positive(3), dtypes=COMPLEX),
    S(special.spence, positive(4), dtypes=COMPLEX),
]
