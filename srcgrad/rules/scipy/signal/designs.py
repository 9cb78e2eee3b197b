"""Rules for ``scipy.signal``: filters by their frequencies, ripples and gains.

The orders, and the windows, are numbers.
"""

import math

import numpy as np
from scipy import signal

from srcgrad.rules.compositions import defined_as
from srcgrad.rules.scipy.scipy_sources import as_in_scipy, on_variables
from srcgrad.rules.scipy.without import refuse

as_in_scipy(
    signal,
    "cheb1ap cheb2ap iirfilter butter cheby1 cheby2 ellip bessel iirnotch iirpeak "
    "firwin firwin2 firls",
)


def iircomb(w0, Q, ftype="notch", fs=2.0, *, pass_zero=False):
    """``scipy.signal.iircomb``, by `Q`: the frequency divides ``fs``."""
    if any(getattr(number, "requires_grad", False) for number in (w0, fs)):
        refuse("iircomb by `w0` or `fs`", "only by `Q`")
    w0, fs, is_peak = float(w0), float(fs), ftype.lower() == "peak"
    n = round(fs / w0)
    if not 0 < w0 < fs / 2 or abs(w0 - fs / n) / fs > 1e-14:
        raise ValueError("fs must be divisible by w0, which is below fs/2.")
    beta = np.tan(n * (2.0 * math.pi * w0 / fs / Q) / 4.0)
    sign = -1.0 if is_peak == pass_zero else 1.0
    first, last = np.eye(1, n + 1)[0], sign * np.eye(1, n + 1, n)[0]
    ahead, behind = (beta, -beta) if is_peak else (1.0, 1.0)
    b = (ahead * first + behind * last) / (1.0 + beta)
    return b, first + (1.0 - beta) / (1.0 + beta) * last


def minimum_phase(h, method="homomorphic", n_fft=None, *, half=True):
    """``scipy.signal.minimum_phase``, by the logarithm of the spectrum."""
    if method != "homomorphic":
        refuse("minimum_phase with another method", "use method='homomorphic'")
    return on_variables(signal.minimum_phase)(h, method, n_fft, half=half)


defined_as(signal.iircomb, iircomb)
defined_as(signal.minimum_phase, minimum_phase)
