"""Samples for the rules of ``srcgrad.rules.scipy.signal.prototypes``."""

from scipy import signal

from tests.samples import within
from tests.samples.scipy.filters import of

RIPPLE, STOP = within(0.8, 1.2), within(38.0, 42.0)
FREQUENCY = within(430.0, 450.0)

SAMPLES = [
    *(of(signal.ellipap, order, RIPPLE, STOP) for order in (1, 3, 4)),
    of(signal.ellip, 3, RIPPLE, STOP, within(0.3, 0.4)),
    *(of(signal.gammatone, FREQUENCY, kind, fs=16000) for kind in ("fir", "iir")),
    *(of(signal.kaiser_beta, within(*ends)) for ends in ((51, 60), (22, 49))),
    of(signal.kaiser_atten, 11, within(0.1, 0.2)),
    of(signal.savgol_coeffs, 5, 2, deriv=1, delta=within(0.4, 0.6)),
]
