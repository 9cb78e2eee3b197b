"""Samples for the rules of ``srcgrad.rules.scipy.signal.waveforms``."""

from scipy import signal

from tests.samples import positive, within
from tests.samples.scipy.filters import of

TIMES, ONE = within(0.0, 0.9, 3), within(0.4, 0.6)

SAMPLES = [
    *(
        of(signal.chirp, TIMES, ONE, positive(), within(2.0, 3.0), method=method)
        for method in ("linear", "quadratic", "logarithmic", "hyperbolic")
    ),
    of(signal.chirp, TIMES, ONE, positive(), ONE, method="quad", vertex_zero=False),
    of(signal.chirp, TIMES, 0.0, 1.0, ONE, phi=ONE, complex=True),
    of(signal.sweep_poly, TIMES, (3,)),  # it overwrites `phi`
    of(signal.sawtooth, within(0.0, 9.0, 8), ONE),
    of(signal.gausspulse, TIMES, ONE, ONE, retquad=True, retenv=True),
    of(signal.gauss_spline, (3,), 3),
]
