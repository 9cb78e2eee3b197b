"""Samples for the rules of ``srcgrad.rules.scipy.special.parabolic``."""

import numpy as np
from scipy import special

from tests.samples import Constant, S, positive, within

BY_ORDER = {"dtypes": (np.float64,), "only_real": True}

SAMPLES = [
    S(special.pbdv, Constant(1.5), positive(3)),
    S(special.pbvv, Constant(1.5), positive(3)),
    S(special.pbwa, Constant(1.5), positive(3)),
    S(special.pbdv, within(-1.4, 2.6, 2), Constant(np.array([0.6, 2.5])), **BY_ORDER),
    S(special.pbvv, within(-1.4, 2.6, 2), within(-1.0, 2.0, 2), **BY_ORDER),
    S(special.pbwa, within(-1.4, 2.6), within(-1.0, 2.0), **BY_ORDER),
]
