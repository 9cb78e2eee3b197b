"""Samples for the rules of ``srcgrad.rules.scipy.signal.spectral_densities``."""

import numpy as np
from scipy import signal

from srcgrad.rules.libraries import replacement_of
from tests.samples import S


def of(function, *specs, dtypes=(np.float64,), **options):
    """What comes with the frequencies."""

    def call(*args):
        return replacement_of(function)(*args, **options)[1]

    name = f"{function.__name__}-{options}"
    return S(function, *specs, call=call, dtypes=dtypes, only_real=True, id=name)


SAMPLES = [
    of(signal.welch, (16,), nperseg=8),
    of(signal.welch, (2, 15), nperseg=5, noverlap=2, scaling="spectrum", fs=10.0),
    of(signal.welch, (16, 2), window=np.hanning(6), axis=0, detrend="linear"),
    of(signal.welch, (16,), nperseg=8, detrend=False, nfft=11, return_onesided=False),
    of(signal.csd, (16,), (16,), nperseg=8),
    of(signal.csd, (12,), (12,), nperseg=6, dtypes=(np.complex128,)),
    of(signal.periodogram, (9,)),
    of(signal.periodogram, (2, 8), window="hamming", nfft=10),
    of(signal.periodogram, (8, 2), nfft=5, axis=0),
    of(signal.welch, (22,), nperseg=8, average="median"),
    of(signal.csd, (20,), (20,), nperseg=8, average="median"),
    of(signal.coherence, (20,), (20,), nperseg=8),
]
