"""Samples for the rules of ``srcgrad.rules.scipy.transforms``."""

import numpy as np
from scipy import fft

from tests.samples import S

BOTH = (np.float64, np.complex128)

SAMPLES = [
    S(fft.fft, (2, 5), dtypes=BOTH),
    S(fft.fft, (5, 2), n=4, axis=0, norm="ortho", dtypes=BOTH),
    S(fft.ifft, (5,), n=7, norm="forward", dtypes=BOTH),
    S(fft.rfft, (2, 6), dtypes=(np.float64,)),
    S(fft.irfft, (5,), n=7, dtypes=BOTH),
    S(fft.hfft, (4,), dtypes=BOTH),
    S(fft.ihfft, (6,), dtypes=(np.float64,)),
    S(fft.fft2, (3, 4), dtypes=BOTH),
    S(fft.ifft2, (3, 4), norm="ortho", dtypes=BOTH),
    S(fft.rfft2, (3, 4), dtypes=(np.float64,)),
    S(fft.irfft2, (3, 4), dtypes=BOTH),
    S(fft.fftn, (2, 3, 4), s=(3, 4), dtypes=BOTH),
    S(fft.ifftn, (3, 4), axes=(0,), dtypes=BOTH),
    S(fft.rfftn, (3, 4), dtypes=(np.float64,)),
    S(fft.irfftn, (3, 4), s=(3, 5), dtypes=BOTH),
    S(fft.hfftn, (3, 4), norm="forward", dtypes=BOTH),
    S(fft.hfftn, (2, 3, 4), axes=(0, 2), dtypes=BOTH),
    S(fft.hfft2, (3, 4), s=(3, 5), dtypes=BOTH),
    S(fft.ihfftn, (3, 4), norm="ortho", dtypes=(np.float64,)),
    S(fft.ihfft2, (2, 3, 4), dtypes=(np.float64,)),
    S(fft.fftshift, (5, 2), dtypes=BOTH),
    S(fft.ifftshift, (5, 2), axes=0, dtypes=BOTH),
]
