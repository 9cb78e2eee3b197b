"""Samples for the rules of ``srcgrad.rules.scipy.stats.discrepancies``."""

import numpy as np
from scipy.stats import contingency, qmc

from tests.samples import Constant, positive, within
from tests.samples.scipy.filters import of

CUBE = within(0.05, 0.95, 4, 2)
BOUNDS = Constant(np.array([-4.0, -3.0])), within(3.0, 5.0, 2)

SAMPLES = [
    *(of(qmc.discrepancy, CUBE, method=name) for name in ("CD", "WD", "MD", "L2-star")),
    of(qmc.discrepancy, CUBE, iterative=True),
    of(qmc.geometric_discrepancy, CUBE),
    of(qmc.update_discrepancy, within(0.1, 0.9, 2), CUBE, within(0.1, 0.2)),
    of(qmc.scale, CUBE, *BOUNDS),
    of(qmc.scale, CUBE, *BOUNDS, reverse=True),
    of(contingency.expected_freq, positive(2, 3, 2)),
    of(contingency.margins, (2, 3)),
]
