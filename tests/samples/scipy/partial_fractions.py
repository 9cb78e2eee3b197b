"""Samples for the rules of ``srcgrad.rules.scipy.signal.partial_fractions``."""

import numpy as np
from scipy import signal

from srcgrad.rules.libraries import replacement_of
from tests.samples import Constant
from tests.samples.scipy.filter_forms import LONG, made
from tests.samples.scipy.filters import of

DENOMINATOR = made(1.0, 0.9, 0.2)
TURNING = made(2.0, -0.6, 0.3)
POLES = made(-0.4, 0.2, -0.7)
DOUBLED = made(0.5, 0.5, -0.7)


def by(name, which):
    """One of the results; a pair of conjugates as real and imaginary part."""

    def call(*args, **kwargs):
        return replacement_of(getattr(signal, name))(*args, **kwargs)[which]

    return call


SAMPLES = [
    *(
        of(getattr(signal, name), LONG, a, call=by(name, slice(3)), id=name)
        for name in ("residue", "residuez")
        for a in (DENOMINATOR, TURNING)
    ),
    of(signal.residue, made(0.3), DENOMINATOR),
    of(signal.residue, LONG, Constant(np.array([2.0, -2.0, 0.5])), tol=0.1),
    of(signal.residuez, made(0.3, 1.0), Constant(np.array([2.0, -2.0, 0.5])), tol=0.1),
    *(
        of(getattr(signal, name), (3,), poles, k)
        for name in ("invres", "invresz")
        for poles in (POLES, DOUBLED)
        for k in ((2,), Constant([]))
    ),
    *(
        of(signal.unique_roots, made(0.5, 0.52, -0.7), tol=0.1, rtype=kind)
        for kind in ("avg", "max", "minimum")
    ),
]
