"""Rules for ``scipy.signal``: windows that undo a short-time Fourier transform."""

from scipy import signal

from srcgrad.rules.scipy.scipy_sources import as_in_scipy

as_in_scipy(signal, "closest_STFT_dual_window")
