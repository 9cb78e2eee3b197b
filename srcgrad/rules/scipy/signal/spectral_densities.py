"""Rules for ``scipy.signal``: spectral densities, means over windows of the signal."""

from scipy import signal

from srcgrad.rules.scipy.scipy_sources import as_in_scipy

as_in_scipy(signal, "csd welch periodogram coherence")
