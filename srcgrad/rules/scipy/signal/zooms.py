"""Rules for ``scipy.signal``: spectra along a spiral, envelopes, signals in a plane."""

from scipy import signal

from srcgrad.rules.scipy.scipy_sources import as_in_scipy, classes_as_in_scipy

as_in_scipy(signal, "czt zoom_fft czt_points hilbert2 envelope")
classes_as_in_scipy(signal, "CZT ZoomFFT", always=True)
