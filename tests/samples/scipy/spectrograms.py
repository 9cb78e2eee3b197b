"""Samples for the rules of ``srcgrad.rules.scipy.signal.spectrograms``."""

import numpy as np
from scipy import signal

from srcgrad.rules.libraries import replacement_of
from tests.samples import Draw, ascending, positive
from tests.samples.scipy.filters import of


def third(name):
    """The spectra, without the frequencies and the times."""
    return lambda *args, **kwargs: replacement_of(getattr(signal, name))(
        *args, **kwargs
    )[2]


def last(name):
    return lambda *args, **kwargs: replacement_of(getattr(signal, name))(
        *args, **kwargs
    )[1]


SAMPLES = [
    of(signal.stft, (9,), nperseg=4, call=third("stft")),
    of(
        signal.stft,
        (2, 8, 2),
        *(2.0, "hamming", 4, 3, 6, "constant", False, "odd", False, 1, "psd"),
        call=third("stft"),
    ),
    of(signal.spectrogram, (12,), nperseg=4, call=third("spectrogram")),
    of(
        signal.spectrogram,
        (8,),
        call=lambda x: third("spectrogram")(x, nperseg=5, mode="magnitude", nfft=7),
        id="magnitude",
    ),
    of(signal.spectrogram, (8,), nperseg=4, mode="phase", call=third("spectrogram")),
    of(signal.istft, (3, 5), call=last("istft")),
    of(
        signal.istft,
        (4, 4, 2),
        *(2.0, "hann", 4, 3, None, False, True, 1, 0, "psd"),
        call=lambda *args: np.real(last("istft")(*args)),
    ),
    of(signal.lombscargle, ascending(6), (6,), positive(2), weights=positive(6)),
    of(
        signal.lombscargle,
        *(ascending(6), (6,), positive(2)),
        normalize="amplitude",
        floating_mean=True,
    ),
    of(signal.lombscargle, ascending(6), (6,), positive(2), normalize=True),
    of(signal.vectorstrength, (4,), positive()),
    of(signal.vectorstrength, (4,), Draw((2,), 0.5, 2.0)),
]
