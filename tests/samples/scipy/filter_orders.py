"""Samples for the rules of ``srcgrad.rules.scipy.filter_orders``."""

import numpy as np
from scipy import signal

from srcgrad.rules.libraries import replacement_of
from tests.samples import Made, within
from tests.samples.scipy.filters import of

GAINS = within(0.9, 1.1), within(38.0, 42.0)
LOW = within(0.19, 0.21), within(0.3, 0.31)
HIGH = LOW[::-1]
BAND = tuple(
    Made(lambda rng, dtype, ends=ends: np.array(ends, dtype), (2,))
    for ends in ((0.3, 0.5), (0.2, 0.65))
)


def ends(name, *specs, **options):
    """The frequencies, without the order."""

    def call(*args):
        return replacement_of(getattr(signal, name))(*args, **options)[1]

    return of(getattr(signal, name), *specs, call=call, id=f"{name}-{options}")


SAMPLES = [
    ends("buttord", *LOW, *GAINS),
    ends("buttord", *HIGH, *GAINS, analog=True),
    ends("buttord", *BAND, *GAINS, fs=2.5),
    ends("cheb1ord", *LOW, *GAINS),
    ends("cheb2ord", *LOW, *GAINS),
    ends("cheb2ord", *BAND, *GAINS),
    ends("ellipord", *BAND, *GAINS),
    of(signal.iirdesign, *HIGH, *GAINS, output="zpk", ftype="cheby1"),
    of(signal.iirdesign, *BAND, *GAINS, ftype="butter"),
    of(signal.iirdesign, *LOW, *GAINS),
]
