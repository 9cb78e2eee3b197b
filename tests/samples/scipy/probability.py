"""Samples for the rules of ``srcgrad.rules.scipy.special.probability``."""

import numpy as np
from scipy import special

from tests.samples import Constant, S, positive, within

SHARE = within(0.1, 0.9, 4)
COUNTS, TRIALS = Constant(np.array([0.0, 1.0, 2.0, 3.0])), Constant(5)
SHAPE = within(0.8, 6.0, 4)
DOUBLE = (np.float64,)

SAMPLES = [
    S(special.bdtr, COUNTS, TRIALS, SHARE),
    S(special.bdtrc, COUNTS, TRIALS, SHARE),
    S(special.bdtri, Constant(2), TRIALS, SHARE, dtypes=DOUBLE),  # ints: no float32
    S(special.nbdtr, COUNTS, TRIALS, SHARE, dtypes=DOUBLE),
    S(special.nbdtrc, COUNTS, TRIALS, SHARE, dtypes=DOUBLE),
    S(special.nbdtri, Constant(2), Constant(5), SHARE),
    S(special.pdtr, COUNTS, positive(4)),
    S(special.pdtrc, COUNTS, positive(4)),
    S(special.pdtri, Constant(2), SHARE),
    S(special.chdtr, SHAPE, positive(4)),
    S(special.chdtrc, SHAPE, positive(4)),
    S(special.chdtri, SHAPE, SHARE),
    S(special.chdtriv, SHARE, positive(4)),
    S(special.gdtr, positive(4), SHAPE, positive(4)),
    S(special.gdtrc, positive(4), SHAPE, positive(4)),
    S(special.gdtrix, positive(4), SHAPE, SHARE),
    S(special.gdtria, SHARE, SHAPE, positive(4)),
    S(special.gdtrib, positive(4), SHARE, positive(4)),
    S(special.fdtr, SHAPE, SHAPE, positive(4)),
    S(special.fdtrc, SHAPE, SHAPE, positive(4)),
    S(special.fdtri, SHAPE, SHAPE, SHARE),
    S(special.fdtridfd, SHAPE, within(0.6, 0.7, 4), within(1.6, 2.6, 4)),
    S(special.stdtr, SHAPE, (4,)),
    S(special.stdtrit, SHAPE, SHARE),
    S(special.stdtridf, within(0.72, 0.78, 4), within(0.8, 0.9, 4)),
    S(special.tklmbda, within(-0.8, 0.8, 4), within(0.2, 0.9, 4)),
    S(special.tklmbda, within(-0.8, 0.8, 4), Constant(0.5)),
    S(special.bdtrik, within(0.3, 0.7, 3), within(5.0, 9.0, 3), within(0.3, 0.6, 3)),
    S(special.bdtrin, positive(3), within(0.3, 0.7, 3), within(0.3, 0.6, 3)),
    S(special.nbdtrik, within(0.3, 0.7, 3), within(5.0, 9.0, 3), within(0.3, 0.6, 3)),
    S(special.nbdtrin, positive(3), within(0.3, 0.7, 3), within(0.3, 0.6, 3)),
    S(special.pdtrik, within(0.3, 0.7, 3), within(2.0, 5.0, 3)),
]
