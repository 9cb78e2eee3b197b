"""Samples for the rules of ``srcgrad.rules.scipy.signal.signals``."""

import numpy as np
from scipy import signal

from tests.samples import COMPLEX, Constant, Made, S

DOUBLE = (np.float64, np.complex128)
MODES = ("full", "same", "valid")

POLES = Made(lambda rng, dtype: np.array([2.0, -0.6, 0.3], dtype), (3,))

SAMPLES = [
    *(S(signal.convolve, (6,), (3,), mode=mode, dtypes=COMPLEX) for mode in MODES),
    S(signal.convolve, (3,), (6,), mode="valid"),
    S(signal.lfilter, (5,), POLES, (2,), dtypes=(np.float64,)),
    S(signal.convolve, (4, 5), (3, 2), mode="same", method="direct"),
    S(signal.convolve, (4, 5), (3, 2), method="fft", tolerance=1e-3),
    *(
        S(signal.fftconvolve, (4, 5), (3, 2), mode=mode, dtypes=DOUBLE)
        for mode in MODES
    ),
    S(signal.fftconvolve, (2, 5), (1, 3), axes=1, dtypes=DOUBLE),
    S(signal.oaconvolve, (2, 8), (2, 3), axes=[-1], mode="same", dtypes=(np.float64,)),
    *(S(signal.correlate, (6,), (3,), mode=mode, dtypes=DOUBLE) for mode in MODES),
    S(signal.correlate, (3,), (6,), mode="valid", dtypes=DOUBLE),
    S(signal.correlate, (4, 5), (3, 2), mode="same"),
    *(
        S(function, (4, 5), (3, 2), mode=mode, boundary=boundary)
        for function in (signal.convolve2d, signal.correlate2d)
        for mode in MODES
        for boundary in ("fill", "wrap", "symm")
    ),
    S(signal.convolve2d, (3, 3), (2, 4), mode="same", dtypes=COMPLEX),
    S(signal.correlate2d, (3, 3), (2, 3), mode="same", dtypes=COMPLEX),
    S(signal.convolve2d, (3, 3), (2, 2), fillvalue=1.5),
    S(signal.lfilter, (4,), POLES, (8,), dtypes=COMPLEX),
    S(signal.lfilter, (2,), POLES, (3, 6, 2), axis=1),
    S(signal.lfilter, (3,), Constant(1.0), (6,)),
    S(signal.detrend, (8,), dtypes=DOUBLE),
    S(signal.detrend, (2, 8), type="constant"),
    S(signal.detrend, (8, 2), axis=0, bp=4, dtypes=(np.float64,)),
]
