"""Samples for the rules of ``srcgrad.rules.scipy.signal.restoring``."""

import numpy as np
from scipy import signal

from tests.samples import Constant
from tests.samples.scipy.filters import NUMERATOR, of
from tests.samples.scipy.signals import POLES

SAMPLES = [
    of(signal.deconvolve, (5,), POLES),
    of(signal.lfiltic, (4,), POLES, (3,), (2,)),
    of(signal.lfiltic, NUMERATOR, POLES, (1,)),
    of(signal.decimate, (12,), 2, n=1),
    of(signal.decimate, (12, 2), 2, n=2, ftype="fir", axis=0, zero_phase=False),
    of(signal.decimate, (8,), 3, n=2, ftype="fir"),
    of(signal.wiener, (4, 5)),
    of(signal.wiener, (6,), 3, 0.1),
    of(signal.medfilt2d, (4, 5)),
    of(signal.order_filter, (4, 5), Constant(np.eye(3)), 1),
]
