"""Rules for ``scipy.signal``: what undoes a filter, thins a signal out, takes noise."""

from scipy import signal

from srcgrad.rules.compositions import defined_as
from srcgrad.rules.libraries import reaching
from srcgrad.rules.scipy.scipy_sources import as_in_scipy
from srcgrad.updates import cast

as_in_scipy(signal, "deconvolve lfiltic decimate wiener order_filter")


def medfilt2d(input, kernel_size=3):
    """``scipy.signal.medfilt2d``"""
    size = 3 if kernel_size is None else kernel_size
    native = cast(input, input.dtype.newbyteorder("="))  # as `medfilt` wants it
    return reaching(signal.medfilt)(native, size)


defined_as(signal.medfilt2d, medfilt2d)
