"""Samples for the rules of ``srcgrad.rules.scipy.probability``."""

import numpy as np
from scipy import special

from tests.samples import Constant, S, positive, within

SHARE = within(0.1, 0.9, 4)
COUNTS, TRIALS = Constant(np.array([0.0, 1.0, 2.0, 3.0])), Constant(5)
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
    S(special.chdtr, Constant(2.5), positive(4)),
    S(special.chdtrc, Constant(2.5), positive(4)),
    S(special.chdtri, Constant(2.5), SHARE),
    S(special.gdtr, positive(4), Constant(2.5), positive(4)),
    S(special.gdtrc, positive(4), Constant(2.5), positive(4)),
    S(special.gdtrix, positive(4), Constant(2.5), SHARE),
    S(special.gdtria, SHARE, Constant(2.5), positive(4)),
    S(special.fdtr, Constant(2.5), Constant(3.5), positive(4)),
    S(special.fdtrc, Constant(2.5), Constant(3.5), positive(4)),
    S(special.fdtri, Constant(2.5), Constant(3.5), SHARE),
    S(special.stdtr, Constant(2.5), (4,)),
    S(special.stdtrit, Constant(2.5), SHARE),
    S(special.chndtr, positive(4), Constant(2.5), positive(4), tolerance=1e-3),
    S(special.chndtrix, SHARE, Constant(2.5), positive(4), tolerance=1e-3),
    S(special.tklmbda, within(-0.8, 0.8, 4), Constant(0.5)),
]
