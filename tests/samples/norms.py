"""Samples for the rules of ``srcgrad.rules.norms``."""

import math

import numpy as np

from tests.samples import COMPLEX, S
from tests.samples.matrices import LOOSE, spread, well_conditioned

VECTOR_ORDERS = (None, 2, 1, math.inf, -math.inf, 3, 2.5, 0.5, -1)
MATRIX_ORDERS = (None, "fro", "nuc", 2, -2, 1, -1, math.inf, -math.inf)
NORMS = [
    S(np.linalg.norm, (3,), dtypes=COMPLEX),
    S(np.linalg.norm, (2, 3), dtypes=COMPLEX),
    S(np.linalg.norm, (2, 3, 2)),
    S(np.linalg.norm, ()),
    S(np.linalg.norm, (0,)),
    S(np.linalg.norm, (2, 3), keepdims=True),
    *(S(np.linalg.norm, (6,), ord=ord, dtypes=COMPLEX) for ord in VECTOR_ORDERS),
    *(S(np.linalg.norm, (3, 4), ord=ord, axis=0) for ord in VECTOR_ORDERS),
    *(
        S(np.linalg.norm, spread(3, 4), ord=ord, dtypes=COMPLEX, **LOOSE)
        for ord in MATRIX_ORDERS
    ),
    *(
        S(np.linalg.norm, (3, 2, 4), ord=ord, axis=axis, keepdims=keepdims, **LOOSE)
        for ord in MATRIX_ORDERS
        for axis, keepdims in (((0, 1), True), ((-1, 0), False))
    ),
    S(np.linalg.norm, (2, 3), axis=-1, keepdims=True),
    S(np.linalg.norm, (2, 3), ord=2, axis=(1,)),
    S(
        np.linalg.norm,
        (6,),
        ord=0,
        call=lambda x, ord: np.linalg.norm(x, ord) + np.sum(x),
    ),
    *(S(np.linalg.vector_norm, (2, 4), ord=ord) for ord in VECTOR_ORDERS[1:]),
    S(
        np.linalg.vector_norm,
        (2, 3, 4),
        axis=(0, 2),
        keepdims=True,
        ord=3,
        dtypes=COMPLEX,
    ),
    S(np.linalg.vector_norm, (2, 3), axis=-1, ord=math.inf),
    *(
        S(np.linalg.matrix_norm, spread(2, 3, 4), ord=ord, **LOOSE)
        for ord in MATRIX_ORDERS[1:]
    ),
    S(np.linalg.matrix_norm, (2, 3), keepdims=True, dtypes=COMPLEX),
]

CONDITIONS = [
    *(
        S(np.linalg.cond, well_conditioned(3, 3), p=p, dtypes=COMPLEX, **LOOSE)
        for p in MATRIX_ORDERS
        if p != "nuc"
    ),
    S(np.linalg.cond, spread(4, 2), dtypes=COMPLEX, **LOOSE),
    S(np.linalg.cond, spread(2, 2, 3), p=-2, **LOOSE),
    S(np.linalg.cond, spread(2, 3, 3), p=1, **LOOSE),
]
SAMPLES = [*NORMS, *CONDITIONS]
