"""Compositions: NumPy's windows by their parameters, of which ``np.kaiser`` has one."""

import numpy as np

from srcgrad.protocols import raw_of
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.libraries import UNREACHED


def kaiser(M, beta):
    """``np.kaiser``, in double precision as there."""
    if np.ndim(beta) or M <= 1:
        return np.kaiser(M, raw_of(beta))  # its errors; ones
    beta, half = np.float64(1.0) * beta, (M - 1) / 2.0
    arc = np.sqrt(1 - ((np.arange(0.0, M) - half) / half) ** 2.0)
    return np.i0(beta * arc) / np.i0(beta)


defined_as(np.kaiser, kaiser)
UNREACHED.add(np.kaiser)
