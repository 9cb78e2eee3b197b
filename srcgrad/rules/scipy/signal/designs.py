"""Rules for ``scipy.signal``: filters by their frequencies, ripples and gains.

The orders, and the windows, are numbers.
"""

from scipy import signal

from srcgrad.protocols import raw_of
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
    given = raw_of(w0), Q, ftype, raw_of(fs)
    return on_variables(signal.iircomb)(*given, pass_zero=pass_zero)


def minimum_phase(h, method="homomorphic", n_fft=None, *, half=True):
    """``scipy.signal.minimum_phase``, by the logarithm of the spectrum."""
    if method != "homomorphic":
        refuse("minimum_phase with another method", "use method='homomorphic'")
    return on_variables(signal.minimum_phase)(h, method, n_fft, half=half)


defined_as(signal.iircomb, iircomb)
defined_as(signal.minimum_phase, minimum_phase)
