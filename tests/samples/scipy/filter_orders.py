"""Samples for the rules of ``srcgrad.rules.scipy.signal.filter_orders``."""

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


def to_stop(type):
    def call(wp, passb, stopb, gpass, gstop):
        own = replacement_of(signal.band_stop_obj)
        # What is whole would stay whole.
        return own(wp, 1, 1.0 * passb, stopb, gpass, gstop, type)

    specs = within(0.59, 0.61), *BAND[::-1], GAINS[0], within(18.0, 22.0)
    return of(signal.band_stop_obj, *specs, call=call, id=f"band_stop_obj-{type}")


SAMPLES = [
    ends("buttord", *LOW, *GAINS),
    ends("buttord", *HIGH, *GAINS, analog=True),
    ends("buttord", *BAND, *GAINS, fs=2.5),
    ends("cheb1ord", *LOW, *GAINS),
    ends("cheb2ord", *LOW, *GAINS),
    ends("cheb2ord", *BAND, *GAINS),
    ends("ellipord", *BAND, *GAINS),
    *(to_stop(type) for type in ("butter", "cheby", "ellip")),
    of(signal.iirdesign, *HIGH, *GAINS, output="zpk", ftype="cheby1"),
    of(signal.iirdesign, *BAND, *GAINS, ftype="butter"),
    of(signal.iirdesign, *LOW, *GAINS),
]
