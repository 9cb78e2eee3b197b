"""Samples for the rules of ``srcgrad.rules.scipy.signal.mirrored_filters``."""

import numpy as np
from scipy import signal

from srcgrad.rules.libraries import replacement_of
from tests.samples import Constant, within
from tests.samples.scipy.filters import of

# Away from the knots, on both sides of the coefficients too.
PLACES = Constant(np.array([-1.3, 0.3, 2.2, 4.1, 7.6]))
FILTERS = within(0.2, 0.9, 3), within(0.2, 0.9, 5)


def smoothed(x):
    """Of doubles: of singles, SciPy is content with less at the edges."""
    return replacement_of(signal.spline_filter)(x * np.float64(1.0))


SAMPLES = [
    of(signal.symiirorder1, (2, 20), 0.6, -0.3, precision=1e-5),
    of(signal.symiirorder2, (40,), 0.3, 0.8),
    of(signal.cspline1d, (6,)),
    of(signal.cspline1d, (6,), 2.0),
    of(signal.qspline1d, (6,)),
    of(signal.cspline2d, (16, 14)),
    of(signal.cspline2d, (30, 28), 1.0, 1e-5, second_order=False),
    of(signal.qspline2d, (14, 12)),
    of(signal.sepfir2d, (6, 7), *FILTERS),
    of(signal.spline_filter, (30, 32), call=smoothed, second_order=False),
    of(signal.cspline1d_eval, (5,), PLACES, dx=1.1, x0=0.2),
    of(signal.cspline1d_eval, (5,), within(-0.4, 4.4, 3)),
    of(signal.qspline1d_eval, (5,), PLACES, dx=1.1, x0=0.2),
    of(signal.qspline1d_eval, (5,), within(0.6, 1.4, 3)),
]
