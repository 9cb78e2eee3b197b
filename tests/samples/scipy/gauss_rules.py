"""Samples for the rules of ``srcgrad.rules.scipy.special.gauss_rules``."""

import numpy as np
from scipy import special

from tests.samples import Constant, S, within

DOUBLE = {"dtypes": (np.float64,), "only_real": True, "only_native": True}
FOUR, PARAMETER = Constant(4), within(0.2, 0.6)

SAMPLES = [
    S(special.roots_jacobi, FOUR, PARAMETER, within(0.7, 1.9), **DOUBLE),
    S(special.roots_gegenbauer, FOUR, PARAMETER, Constant(True), **DOUBLE),
    S(special.roots_genlaguerre, FOUR, PARAMETER, **DOUBLE),
    S(special.roots_sh_jacobi, FOUR, within(1.7, 1.9), PARAMETER, **DOUBLE),
]
