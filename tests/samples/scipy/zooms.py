"""Samples for the rules of ``srcgrad.rules.scipy.signal.zooms``."""

import numpy as np
from scipy import signal

from srcgrad.rules.libraries import replacement_of
from tests.samples import S, within
from tests.samples.scipy.filters import of

ANGLE = within(0.2, 0.5)


def turned(x, size, angle):
    return replacement_of(signal.czt)(x, 3, np.exp(-1j * angle), 1.0 + size, axis=0)


SAMPLES = [
    S(signal.czt, (4,), dtypes=(np.float64, np.complex128)),
    of(signal.czt, (4, 2), ANGLE, ANGLE, call=turned),
    of(signal.czt_points, 3, ANGLE, 2.0),
    of(signal.zoom_fft, (5, 2), ANGLE, 3, axis=0),
    of(signal.zoom_fft, (4,), within(0.2, 0.5, 2), endpoint=True),
    of(signal.hilbert2, (4, 5)),
    of(signal.hilbert2, (3, 2, 4), N=4, axes=(0, 2)),
    of(signal.envelope, (8,)),
    of(signal.envelope, (2, 7), bp_in=(1, 3), n_out=4, residual="all"),
    of(signal.envelope, (7, 2), bp_in=(-2, 3), n_out=10, axis=0),
    of(signal.envelope, (8,), bp_in=(None, -1), squared=True),
    S(signal.envelope, (6,), bp_in=(1, 2), dtypes=(np.complex128,)),
]
