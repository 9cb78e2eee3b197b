"""Rules for ``scipy.signal``: waves, by the time and by what shapes them."""

from scipy import signal

from srcgrad.rules.scipy.scipy_sources import as_in_scipy

as_in_scipy(signal, "chirp sweep_poly sawtooth gausspulse gauss_spline")
