"""Samples for the compositions of ``srcgrad.rules.scimath``."""

import numpy as np

from tests.samples import COMPLEX, Constant, S, positive, within

SAMPLES = [
    S(function, spec, dtypes=COMPLEX, tolerance=1e-3)
    for names, inside, outside in (
        ("sqrt log log2 log10", positive(3), (4,)),
        ("arccos arcsin arctanh", within(-0.9, 0.9, 3), within(1.1, 3.0, 3)),
    )
    for function in (getattr(np.emath, name) for name in names.split())
    for spec in (inside, outside)
]
SAMPLES += [
    S(np.emath.logn, positive(3), (4, 1), dtypes=COMPLEX, tolerance=1e-3),
    S(np.emath.power, (4,), Constant(-1.5), dtypes=COMPLEX, tolerance=1e-3),
    S(np.emath.power, Constant(np.array([2, 3])), (2,)),
]
