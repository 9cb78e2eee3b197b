"""Rules for ``scipy.fft``: on Variables each is NumPy's transform of the same name."""

import numpy as np
from scipy import fft

from srcgrad.rules.complexes import conj
from srcgrad.rules.compositions import defined_as, defined_by
from srcgrad.rules.fft import ADJOINT

ALONG_ONE = "fft ifft rfft irfft hfft ihfft"
ALONG_MANY = "fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn"


def along_one(transform):
    return lambda x, n, axis, norm: transform(x, n, axis, norm)


def along_many(transform):
    """NumPy's transform, with SciPy's arguments."""

    def composed(x, s, axes, norm):
        if s is not None and axes is None:  # lengths are those of the last axes
            axes = tuple(range(-len(s), 0))
        return transform(x, s, axes, norm)

    return composed


def hfftn(x, s, axes, norm):
    """The real transform of what is taken for the half of a spectrum."""
    return np.fft.irfftn(conj(x), s, axes, ADJOINT[norm])


def ihfftn(x, s, axes, norm):
    return np.conjugate(np.fft.rfftn(x, s, axes, ADJOINT[norm]))


for _name in ALONG_ONE.split():
    defined_by(getattr(fft, _name), along_one(getattr(np.fft, _name)))
for _name in ALONG_MANY.split():
    defined_by(getattr(fft, _name), along_many(getattr(np.fft, _name)))
for _transform in (hfftn, ihfftn):
    for _name in (_transform.__name__, f"{_transform.__name__[:-1]}2"):
        defined_by(getattr(fft, _name), along_many(_transform))
for _name in ("fftshift", "ifftshift"):
    defined_as(getattr(fft, _name), getattr(np.fft, _name))
