"""Samples for the rules of ``srcgrad.rules.scipy.special.spheroids``."""

import numpy as np
from scipy import special

from tests.samples import Constant, S, within

ORDERS = Constant(1.0), Constant(np.array([2.0, 3.0]))
BY_SIZE = {"dtypes": (np.float64,), "only_real": True}
INSIDE, OUTSIDE, SIZE = within(-0.6, 0.7, 2), within(1.2, 2.0, 2), within(0.5, 4.0)

SAMPLES = [
    S(special.pro_ang1, *ORDERS, SIZE, INSIDE, **BY_SIZE),
    S(special.obl_ang1, *ORDERS, SIZE, INSIDE, **BY_SIZE),
    S(special.pro_rad1, *ORDERS, SIZE, OUTSIDE, **BY_SIZE),
    S(special.obl_rad1, *ORDERS, SIZE, OUTSIDE, **BY_SIZE),
]
