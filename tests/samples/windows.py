"""Samples for the rules of ``srcgrad.rules.windows``."""

import numpy as np

from tests.samples import Constant, S, positive

SAMPLES = [
    S(np.kaiser, Constant(5), positive()),
    S(np.kaiser, Constant(4), ()),
]
