"""Samples for the rules of ``srcgrad.rules.scipy.special.modified_mathieu``."""

import numpy as np
from scipy import special

from tests.samples import Constant, S, within

# SciPy's functions are nan in single precision.
SAMPLES = [
    S(
        getattr(special, f"mathieu_mod{name}"),
        *(Constant(order), within(0.5, 4.0), Constant(np.array([0.4, 1.1]))),
        dtypes=(np.float64,),
        only_real=True,
    )
    for name, order in (("cem1", 0), ("cem2", 3), ("sem1", 1), ("sem2", 2))
]
