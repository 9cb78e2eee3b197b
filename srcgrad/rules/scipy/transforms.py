"""Rules for ``scipy.fft``: on Variables each is NumPy's transform of the same name."""

import functools

import numpy as np
from scipy import fft

from srcgrad.rules.complexes import conj
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.fft import ADJOINT

ALONG_ONE = "fft ifft rfft irfft hfft ihfft"
ALONG_TWO = "fft2 ifft2 rfft2 irfft2"
ALONG_MANY = "fftn ifftn rfftn irfftn"
ORDERS = "fftshift ifftshift"


def along(transform, default):
    """NumPy's transform, with all of SciPy's arguments."""

    def composed(
        x,
        s=None,
        axes=default,
        norm=None,
        overwrite_x=False,
        workers=None,
        *,
        plan=None,
    ):
        if s is not None and axes is None:  # lengths are those of the last axes
            axes = tuple(range(-len(s), 0))
        return transform(x, s, axes, norm)

    return composed


def along_one(transform):
    def composed(
        x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None
    ):
        return transform(x, n, axis, norm)

    return composed


along_two = functools.partial(along, default=(-2, -1))
along_many = functools.partial(along, default=None)


def hfftn(x, s, axes, norm):
    """The real transform of what is taken for the half of a spectrum."""
    return np.fft.irfftn(conj(x), s, axes, ADJOINT[norm])


def ihfftn(x, s, axes, norm):
    return np.conjugate(np.fft.rfftn(x, s, axes, ADJOINT[norm]))


for _names, _like in (
    (ALONG_ONE, along_one),
    (ALONG_TWO, along_two),
    (ALONG_MANY, along_many),
):
    for _name in _names.split():
        defined_as(getattr(fft, _name), _like(getattr(np.fft, _name)))

for _transform in (hfftn, ihfftn):
    defined_as(getattr(fft, _transform.__name__), along_many(_transform))
    defined_as(getattr(fft, f"{_transform.__name__[:-1]}2"), along_two(_transform))
for _name in ORDERS.split():
    defined_as(getattr(fft, _name), getattr(np.fft, _name))
