"""Samples for the rules of ``srcgrad.rules.scipy.linalg.special_matrices``."""

import numpy as np
from scipy import linalg

from srcgrad.rules.libraries import replacement_of
from tests.samples import COMPLEX, Constant, Made, S, positive

DOMINANT = Made(lambda rng, dtype: np.array([6.0, 1.0, -0.5], dtype), (3,))


def from_pair(name):
    function = getattr(linalg, name)
    return lambda c, r, x: replacement_of(function)((c, r), x)


SAMPLES = [
    S(linalg.block_diag, (2, 3), (1, 2), (3,)),
    S(linalg.block_diag, (2, 2), Constant(np.eye(2)), dtypes=COMPLEX),
    S(linalg.toeplitz, (3,), (4,)),
    S(linalg.toeplitz, (3,), dtypes=COMPLEX),
    S(linalg.hankel, (3,), (4,)),
    S(linalg.hankel, (3,)),
    S(linalg.circulant, (4,), dtypes=COMPLEX),
    S(linalg.khatri_rao, (2, 3), (4, 3), dtypes=COMPLEX),
    S(linalg.companion, positive(4)),
    S(linalg.leslie, (4,), (3,)),
    S(linalg.fiedler, (4,)),
    S(linalg.fiedler_companion, positive(6)),
    S(linalg.diagsvd, (3,), 3, 5),
    S(linalg.diagsvd, (3,), 4, 3),
    *(
        S(linalg.convolution_matrix, (3,), Constant(4), mode=mode)
        for mode in ("full", "same", "valid")
    ),
    S(linalg.matmul_toeplitz, (3,), (3, 2)),
    S(linalg.matmul_toeplitz, (3,), (4,), (4, 2), call=from_pair("matmul_toeplitz")),
    S(linalg.solve_toeplitz, DOMINANT, (3,)),
    S(
        linalg.solve_toeplitz,
        DOMINANT,
        DOMINANT,
        (3,),
        call=from_pair("solve_toeplitz"),
    ),
]
