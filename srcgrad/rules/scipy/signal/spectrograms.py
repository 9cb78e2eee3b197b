"""Rules for ``scipy.signal``: spectra of a signal's windows, one beside the other.

Also those of samples at any times.
"""

from scipy import signal

from srcgrad.rules.scipy.scipy_sources import as_in_scipy, classes_as_in_scipy

as_in_scipy(signal, "stft spectrogram istft lombscargle vectorstrength")
classes_as_in_scipy(signal, "ShortTimeFFT", always=True)
