"""Every sample of the chapter, and what is refused."""

import numpy as np
import scipy.signal

from srcgrad.scipy import signal
from tests.variables import variable


def test_the_frequencies():
    x = np.arange(300.0)
    for name in ("welch", "periodogram"):
        found, _ = getattr(signal, name)(variable(x), 3.0)
        expected, _ = getattr(scipy.signal, name)(x, 3.0)
        np.testing.assert_allclose(found, expected)
