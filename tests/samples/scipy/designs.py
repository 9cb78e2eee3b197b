"""Samples for the rules of ``srcgrad.rules.scipy.signal.designs``."""

import numpy as np
from scipy import signal

from tests.samples import Made, positive, within
from tests.samples.scipy.filters import named, of

END, RIPPLE = within(0.2, 0.6), within(1.0, 2.0)
BAND = Made(lambda rng, dtype: np.array([0.2, 0.6], dtype), (2,))
BANDS = Made(lambda rng, dtype: np.array([0.1, 0.3, 0.5, 0.9], dtype), (4,))
INNER = within(0.2, 0.6, 2)
TAPS = Made(lambda rng, dtype: np.array([0.3, 0.5, 1.0, 0.5, 0.3], dtype), (5,))

SAMPLES = [
    of(signal.butter, 3, END),
    of(signal.butter, 3, END, output="sos"),
    of(signal.iirfilter, 2, BAND, output="zpk", fs=3.0),
    of(signal.cheby1, 3, RIPPLE, END, btype="high", analog=True),
    of(signal.cheby1, 2, RIPPLE, BAND, btype="bandstop"),
    of(signal.cheby2, 3, within(20.0, 30.0), END, output="sos"),
    of(signal.ellip, 3, 1.0, 40.0, END),
    of(signal.bessel, 2, END, norm="mag"),
    of(signal.cheb1ap, 2, RIPPLE),
    of(signal.cheb2ap, 3, RIPPLE),
    of(signal.iirnotch, END, within(20.0, 30.0)),
    of(signal.iirpeak, END, within(20.0, 30.0), fs=4.0),
    of(signal.firwin, 5, END),
    of(signal.firwin, 5, BAND, pass_zero=False),
    of(signal.firwin, 4, BAND, fs=3.0, pass_zero="bandpass", scale=False, width=0.2),
    of(signal.firwin, 5, END, pass_zero="highpass"),
    of(signal.firwin2, 5, [0.0, 0.3, 0.3, 1.0], (4,)),
    of(signal.firls, 5, BANDS, within(0.0, 1.0, 4), weight=positive(2)),
    of(signal.firls, 5, [0.0, 1.0], within(0.0, 1.0, 2), fs=2.0),
    of(signal.iircomb, 0.5, within(20.0, 30.0)),
    of(signal.iircomb, 0.25, within(20.0, 30.0), "peak", 1.0),
    of(signal.minimum_phase, TAPS, n_fft=16),
    of(
        signal.firwin2,
        *(5, INNER, [1.0, 0.8, 0.2, 0.0]),
        call=lambda taps, inner, gain: named("firwin2")(
            taps, np.concatenate([[0.0], np.sort(inner), [1.0]]), gain
        ),
    ),
]
