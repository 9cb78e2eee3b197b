"""Samples for the rules of ``srcgrad.rules.scipy.signal.filter_forms``."""

import numpy as np
from scipy import signal

from srcgrad.rules.libraries import replacement_of
from tests.samples import Made, positive
from tests.samples.scipy.filters import SECTIONS, of
from tests.samples.scipy.signals import POLES


def made(*values):
    return Made(lambda rng, dtype: np.array(values, dtype), (len(values),))


ZEROS, NUMERATOR, LONG = made(0.5, -0.3), made(0.5, 0.3), made(1.0, 0.4, 0.8, 0.2)
GAIN, SLOPE = positive(), positive()
OF_POLES = made(-0.4, 0.2, -0.7)


def of_pair(name):
    """With poles that are conjugate."""

    def call(z, real, imaginary, k):
        p = np.stack([real + 1j * imaginary, real - 1j * imaginary])
        return replacement_of(getattr(signal, name))(z, p, k)

    return call


def of_real(name):
    """By a frequency that is no complex number: that is another error of SciPy's."""
    return lambda b, a, wo: replacement_of(getattr(signal, name))(b, a, np.real(wo))


SAMPLES = [
    of(signal.normalize, LONG, POLES),
    of(signal.tf2zpk, LONG, POLES),
    of(signal.zpk2tf, ZEROS, OF_POLES, GAIN),
    of(signal.zpk2tf, (2, 2), OF_POLES, (2,)),
    of(signal.zpk2tf, *(ZEROS, GAIN, SLOPE, GAIN), call=of_pair("zpk2tf"), id="pair"),
    of(signal.zpk2sos, ZEROS, OF_POLES, GAIN),
    of(signal.zpk2sos, *(ZEROS, GAIN, SLOPE, GAIN), call=of_pair("zpk2sos"), id="pair"),
    of(signal.tf2sos, NUMERATOR, LONG),
    of(signal.sos2tf, SECTIONS),
    of(signal.sos2zpk, SECTIONS),
    of(signal.bilinear, NUMERATOR, POLES, 2.0),
    of(signal.bilinear, LONG, POLES),
    of(signal.bilinear_zpk, ZEROS, OF_POLES, GAIN, 2.0),
    of(signal.lp2lp, *(NUMERATOR, POLES, GAIN), call=of_real("lp2lp")),
    of(signal.lp2hp, *(NUMERATOR, POLES, GAIN), call=of_real("lp2hp")),
    of(signal.lp2lp, LONG, POLES),
    *(
        of(getattr(signal, f"lp2{kind}"), NUMERATOR, POLES, GAIN, SLOPE)
        for kind in ("bp", "bs")
    ),
    *(
        of(getattr(signal, f"lp2{kind}_zpk"), ZEROS, OF_POLES, GAIN, SLOPE)
        for kind in ("lp", "hp")
    ),
    *(
        of(getattr(signal, f"lp2{kind}_zpk"), ZEROS, OF_POLES, GAIN, SLOPE, GAIN)
        for kind in ("bp", "bs")
    ),
]
