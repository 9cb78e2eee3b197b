"""Samples for the rules of ``srcgrad.rules.fft``."""

import numpy as np

from tests.samples import COMPLEX, REAL, S

NORMS = ("backward", "ortho", "forward")
DOUBLE = (np.float64, np.complex128)


def of_real(function):
    """Whether a transform takes real numbers only."""
    return function.__name__[:4] in ("rfft", "ihff")


SAMPLES = []
for function in "fft ifft rfft irfft hfft ihfft".split():
    function = getattr(np.fft, function)
    every, double = (REAL, REAL[:1]) if of_real(function) else (COMPLEX, DOUBLE)
    SAMPLES += [
        S(function, (5,), dtypes=every),
        *(S(function, (4, 2), axis=0, norm=norm, dtypes=double) for norm in NORMS),
        *(S(function, (4,), n=n, dtypes=double) for n in (1, 2, 3, 6, 7)),
        S(function, (2, 3, 2), n=5, axis=1, norm="ortho", dtypes=double),
    ]
for function in "fftn ifftn rfftn irfftn fft2 ifft2 rfft2 irfft2".split():
    function = getattr(np.fft, function)
    every, double = (REAL, REAL[:1]) if of_real(function) else (COMPLEX, DOUBLE)
    SAMPLES += [
        S(function, (2, 3), dtypes=every),
        S(function, (3, 2, 4), axes=(0, -1), dtypes=double),
        S(function, (3, 2, 4), axes=(2, 0), norm="ortho", dtypes=double),
        S(function, (3, 4), s=(4, 3), axes=(0, 1), norm="forward", dtypes=double),
        S(function, (3, 4), s=(2, -1), axes=(1, 0), dtypes=double),
        S(function, (3, 4), s=(6,), axes=(0,), dtypes=double),
    ]
for function in (np.fft.fftshift, np.fft.ifftshift):
    SAMPLES += [
        S(function, (5,), dtypes=COMPLEX),
        S(function, (3, 4), axes=0),
        S(function, (3, 4, 2), axes=(0, -1)),
    ]
