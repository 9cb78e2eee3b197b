"""Every sample of the chapter, and the places that come with them."""

import numpy as np
import scipy.signal

from srcgrad.scipy import signal
from tests.samples.scipy.peaks import HILLS
from tests.variables import variable


def test_places_are_scipys():
    options = {"prominence": 0.2, "plateau_size": 1, "height": 0.95}
    peaks, known = scipy.signal.find_peaks(HILLS, **options)
    found, properties = signal.find_peaks(variable(HILLS), **options)
    np.testing.assert_array_equal(getattr(found, "data", found), peaks)
    assert list(properties) == list(known)
    for name, expected in known.items():
        ours = getattr(properties[name], "data", properties[name])
        np.testing.assert_array_equal(ours, expected)
        assert ours.dtype == expected.dtype
