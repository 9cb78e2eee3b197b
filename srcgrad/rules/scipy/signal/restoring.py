"""Rules for ``scipy.signal``: what undoes a filter, thins a signal out, takes noise."""

import numpy as np
from scipy import signal

from srcgrad.rules.compositions import defined_as
from srcgrad.rules.libraries import reaching
from srcgrad.rules.scipy.scipy_sources import as_in_scipy, on_variables
from srcgrad.updates import cast

as_in_scipy(signal, "deconvolve decimate wiener order_filter")


def lfiltic(b, a, y, x=None):
    """``scipy.signal.lfiltic``, by the scale too where it is 1"""
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    return on_variables(signal.lfiltic)(b / a[0], a / a[0], y, x)


def medfilt2d(input, kernel_size=3):
    """``scipy.signal.medfilt2d``"""
    size = 3 if kernel_size is None else kernel_size
    native = cast(input, input.dtype.newbyteorder("="))  # as `medfilt` wants it
    return reaching(signal.medfilt)(native, size)


defined_as(signal.lfiltic, lfiltic)
defined_as(signal.medfilt2d, medfilt2d)
