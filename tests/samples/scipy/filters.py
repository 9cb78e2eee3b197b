"""Samples for the rules of ``srcgrad.rules.scipy.signal.filters``."""

import numpy as np
from scipy import signal

from srcgrad.rules.libraries import replacement_of
from tests.samples import Constant, Draw, Made, S
from tests.samples.scipy.signals import POLES

REALS = (np.float64,)

# Two sections: numerators, then denominators.
SECTIONS = Made(
    lambda rng, dtype: np.array(
        [[0.5, 0.2, -0.3, 1.0, -0.4, 0.2], [1.0, 0.3, 0.1, 1.0, 0.5, -0.1]], dtype
    ),
    (2, 6),
)
NUMERATOR = Made(lambda rng, dtype: np.array([0.5, 0.3], dtype), (2,))
KERNEL = Constant(np.array([1.0, 2.0, 0.5]))


def of(function, *specs, **options):
    return S(function, *specs, dtypes=REALS, only_real=True, **options)


def named(name):
    return replacement_of(getattr(signal, name))


SAMPLES = [
    of(signal.lfilter, (4,), POLES, (8,), zi=Draw((3,))),
    of(signal.lfilter, (2,), POLES, (2, 6, 3), axis=1, zi=Draw((2, 2, 3))),
    of(signal.lfilter, (4,), Constant(1.0), (2,), zi=Draw((3,))),
    S(signal.sosfilt, SECTIONS, (8,)),
    S(signal.sosfilt, SECTIONS, (6, 2), axis=0, dtypes=REALS),
    of(signal.sosfilt, SECTIONS, (6,), zi=Draw((2, 2))),
    of(signal.sosfilt, SECTIONS, (6, 2), axis=0, zi=Draw((2, 2, 2))),
    of(signal.lfilter_zi, NUMERATOR, POLES),
    of(signal.sosfilt_zi, SECTIONS),
    *(
        of(signal.filtfilt, NUMERATOR, POLES, (12,), padtype=padtype)
        for padtype in ("odd", "even", "constant", None)
    ),
    of(signal.filtfilt, NUMERATOR, POLES, (8, 2), axis=0, padlen=3),
    of(signal.sosfiltfilt, SECTIONS, (2, 18)),
    of(signal.sosfiltfilt, SECTIONS, (8, 2), axis=0, padtype="even", padlen=2),
    of(signal.hilbert, (8,)),
    of(signal.hilbert, (7, 2), axis=0),
    of(signal.hilbert, (5,), N=8),
    *(
        of(signal.resample, (n,), m)
        for n, m in ((8, 5), (8, 6), (6, 9), (5, 8), (6, 6))
    ),
    of(signal.resample, (2, 6), 4, axis=1),
    of(signal.savgol_filter, (9,), 5, 2),
    of(signal.savgol_filter, (2, 9, 2), 5, 3, deriv=1, delta=0.5, axis=1),
    of(signal.savgol_filter, (9,), 5, 2, mode="mirror"),
    of(signal.savgol_filter, (9,), 4, 2),
    of(signal.upfirdn, (3,), (5,), 3, 2),
    of(signal.upfirdn, KERNEL, (5, 2), 2, 1, axis=0),
    of(signal.resample_poly, (8,), 3, 2),
    of(signal.resample_poly, (2, 9), 2, 4, axis=1),
    of(signal.medfilt, (7,)),
    of(signal.medfilt, (5, 4), kernel_size=(3, 1)),
    of(signal.freqz, (3,), POLES, 5, call=lambda *args: named("freqz")(*args)[1]),
    of(
        signal.freqz_sos, SECTIONS, 5, call=lambda sos, n: named("freqz_sos")(sos, n)[1]
    ),
    of(signal.sosfreqz, SECTIONS, 5, call=lambda sos, n: named("sosfreqz")(sos, n)[1]),
    of(
        signal.freqz_zpk,
        *((2,), Made(lambda rng, dtype: np.array([0.5, -0.3], dtype), (2,)), (), 5),
        call=lambda z, p, k, n: named("freqz_zpk")(z, p, k, n)[1],
    ),
]
