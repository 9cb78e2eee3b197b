"""Samples for the compositions of ``srcgrad.rules.scimath``."""

import numpy as np

from tests.samples import Constant, Draw, S, positive, within

FUNCTIONS = {
    np.emath.sqrt: (0.3, 3.0),
    np.emath.log: (0.3, 3.0),
    np.emath.log2: (0.3, 3.0),
    np.emath.log10: (0.3, 3.0),
    np.emath.arccos: (1.2, 3.0),
    np.emath.arcsin: (1.2, 3.0),
    np.emath.arctanh: (1.2, 3.0),
}
BEYOND = [
    S(function, within(-high, -low, 4)) for function, (low, high) in FUNCTIONS.items()
]
SAMPLES = [
    *BEYOND,
    *(S(function, within(0.1, 0.9, 3)) for function in FUNCTIONS),
    S(np.emath.logn, Constant(2.0), Draw((3,))),
    S(np.emath.logn, positive(3), positive(3)),
    S(np.emath.power, Draw((4,)), Constant(0.5)),
    S(np.emath.power, Draw((4,)), (4,)),
    S(np.emath.power, Draw((4,)), Constant(np.array([-1, 2, 3, 1]))),
]
