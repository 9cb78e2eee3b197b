"""Samples for the rules of ``srcgrad.rules.scipy.special.characteristic``."""

import numpy as np
from scipy import special

from srcgrad.rules.scipy.special import characteristic
from tests.samples import Constant, S, within

DOUBLE = (np.float64,)
Q = within(0.5, 3.0, 4)
ORDERS = Constant(np.array([1, 2, 3, 4]))
M, N = Constant(np.array([0, 1, 1, 2])), Constant(np.array([0, 3, 2, 4]))


def of(function, *specs):
    return S(function, *specs, dtypes=DOUBLE, only_real=True)


SAMPLES = [
    of(special.mathieu_a, ORDERS, Q),
    of(special.mathieu_b, ORDERS, Q),
    of(characteristic.mathieu_even_coef, Constant(2), within(0.5, 3.0)),
    of(characteristic.mathieu_odd_coef, Constant(3), within(0.5, 3.0)),
    of(special.pro_cv, M, N, Q),
    of(special.obl_cv, M, N, Q),
    of(characteristic.pro_cv_seq, Constant(1), Constant(3), within(0.5, 3.0)),
    of(characteristic.obl_cv_seq, Constant(1), Constant(3), within(0.5, 3.0)),
]
