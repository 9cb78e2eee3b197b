"""Samples for the rules of ``srcgrad.rules.scipy.signal.dual_windows``."""

from scipy import signal

from tests.samples import positive
from tests.samples.scipy.filters import of

SAMPLES = [
    of(signal.closest_STFT_dual_window, positive(6), hop=2),
    of(signal.closest_STFT_dual_window, positive(5), hop=3, scaled=False, id="own"),
    of(
        signal.closest_STFT_dual_window,
        positive(6),
        desired_dual=positive(6),
        hop=4,
        id="desired",
    ),
]
