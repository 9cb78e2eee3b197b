"""Samples for the rules of ``srcgrad.rules.scipy.linalg.matrix_functions``."""

import numpy as np
from scipy import linalg

from tests.samples import Constant, Draw, Made, S, within
from tests.samples.scipy.linear_equations import definite, stable

DOUBLE = (np.float64, np.complex128)

SIGNED = Made(
    lambda rng, dtype: np.array(
        [[2.0, 0.5, -0.3], [0.1, -1.5, 0.4], [0.6, 0.2, 3.0]], dtype
    ),
    (3, 3),
)

SAMPLES = [
    S(linalg.expm, (3, 3), dtypes=(np.float64, np.float32, np.complex128)),
    S(linalg.expm, (2, 3, 3)),
    S(linalg.expm, Draw((1, 1))),
    S(linalg.expm_frechet, (3, 3), (3, 3), dtypes=DOUBLE),
    S(linalg.expm_frechet, (3, 3), (3, 3), compute_expm=False),
    S(linalg.logm, definite(3, 3), dtypes=DOUBLE),
    # With an eigenvalue on the cut: the result is complex.
    S(linalg.logm, SIGNED, dtypes=(np.float64,), only_native=True, only_real=True),
    S(linalg.sqrtm, SIGNED, dtypes=(np.float64,), only_native=True, only_real=True),
    S(
        linalg.fractional_matrix_power,
        SIGNED,
        t=0.4,
        dtypes=(np.float64,),
        only_native=True,
        only_real=True,
    ),
    S(linalg.signm, SIGNED, dtypes=DOUBLE, only_native=True),
    S(linalg.sqrtm, definite(3, 3), dtypes=DOUBLE, only_native=True),
    S(linalg.fractional_matrix_power, definite(3, 3), t=0.4, dtypes=DOUBLE),
    S(linalg.fractional_matrix_power, definite(3, 3), t=-0.5, dtypes=(np.float64,)),
    *(
        S(getattr(linalg, name), stable(3, 3), dtypes=DOUBLE)
        for name in ("sinm", "cosm", "tanm", "sinhm", "coshm", "tanhm")
    ),
    S(linalg.funm, stable(3, 3), Constant(np.exp), dtypes=DOUBLE),
    S(linalg.expm_cond, (2, 2), dtypes=(np.float64,), only_real=True),
    S(linalg.cosm, within(-1.0, 1.0, 3, 3), id="cosm-float32"),
]
