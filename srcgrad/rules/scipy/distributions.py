"""Rules for ``scipy.stats``: densities and distribution functions, by their own formulas.

SciPy checks, picks and stores values around a formula (``_logpdf``); on Variables the
formula itself runs, with ``np.where`` around it. A distribution function by ``x``,
``loc`` and ``scale`` alone needs no formula, for its slope is the density.
"""

import numpy as np
from scipy import special, stats

from srcgrad.protocols import dispatched, raw_of
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.libraries import REPLACEMENTS, replacement_of
from srcgrad.rules.registry import defvjp

Continuous, Discrete = stats.rv_continuous, stats.rv_discrete


def inner_point(low, high):
    """A point inside a support, where a formula may be evaluated without harm."""
    low, high = np.asarray(raw_of(low), float), np.asarray(raw_of(high), float)
    from_low = np.where(np.isfinite(low), low + 1.0, 0.0)
    from_high = np.where(np.isfinite(high), high - 1.0, from_low)
    is_bounded = np.isfinite(low) & np.isfinite(high)
    middle = 0.5 * (np.where(is_bounded, low, 0.0) + np.where(is_bounded, high, 0.0))
    return np.where(is_bounded, middle, np.where(np.isfinite(low), from_low, from_high))
