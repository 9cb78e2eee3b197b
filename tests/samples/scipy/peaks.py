"""Samples for the rules of ``srcgrad.rules.scipy.signal.peaks``."""

import numpy as np
from scipy import signal

from srcgrad.rules.libraries import replacement_of
from tests.samples import Constant, Made
from tests.samples.scipy.filters import of

HILLS = np.array([0.0, 1.0, 0.4, 0.7, 3.0, 1.2, 2.0, 0.5, 0.9, 0.2])
SIGNAL = Made(lambda rng, dtype: (HILLS + rng.uniform(size=10) / 20).astype(dtype))
PEAKS = Constant(np.array([1, 4, 6, 8]))


def floats(name, *more, **options):
    """What is no place of the results."""

    def call(x):
        found = replacement_of(getattr(signal, name))(x, *more, **options)
        found = [*found[1].values()] if isinstance(found[1], dict) else found
        return [each for each in found if each.dtype.kind == "f"]

    return of(getattr(signal, name), SIGNAL, call=call, id=f"{name}-{options}")


SAMPLES = [
    floats("find_peaks", height=0.5, threshold=0.1),
    floats("find_peaks", prominence=0.2, width=0.1, distance=2, plateau_size=1),
    floats("find_peaks", width=(None, 10.0), wlen=5, rel_height=0.9),
    floats("peak_prominences", PEAKS.value),
    floats("peak_prominences", PEAKS.value, wlen=3),
    floats("peak_widths", PEAKS.value),
    floats("peak_widths", PEAKS.value, rel_height=1.0),
]
