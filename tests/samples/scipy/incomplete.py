"""Samples for the rules of ``srcgrad.rules.scipy.special.incomplete``."""

import numpy as np
from scipy import special

from tests.samples import Constant, S, positive, within

SHARE = within(0.1, 0.9, 4)
SHAPE = within(0.4, 6.0, 4)

SAMPLES = [
    S(special.gammainc, SHAPE, positive(4)),
    S(special.gammainc, Constant(np.array([0.5, 1.0, 3.0])), positive(2, 3)),
    S(special.gammaincc, SHAPE, positive(4)),
    S(special.gammaincc, positive(), within(2.0, 9.0, 4)),
    S(special.gammaincinv, SHAPE, SHARE),
    S(special.gammainccinv, SHAPE, SHARE),
    S(special.betainc, SHAPE, SHAPE, SHARE),
    S(special.betainc, Constant(2.5), Constant(1.5), SHARE),
    S(special.betaincc, SHAPE, positive(), SHARE),
    S(special.betaincinv, SHAPE, SHAPE, SHARE),
    S(special.betainccinv, SHAPE, SHAPE, SHARE),
    S(special.btdtria, SHARE, SHAPE, SHARE, tolerance=1e-3),
    S(special.btdtrib, SHAPE, SHARE, SHARE, tolerance=1e-3),
]
