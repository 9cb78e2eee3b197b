"""Samples for the rules of ``srcgrad.rules.determinants``."""

import numpy as np

from srcgrad.rules.determinants import cofactor_changes, large_cofactors
from tests.samples import COMPLEX, Made, S
from tests.samples.matrices import positive_definite, well_conditioned


def singular(n, rank):
    """A matrix of eighths, which are exact, so that it has no inverse."""

    def build(rng, dtype):
        tall, wide = np.arange(n * rank).reshape(n, rank) % 5, np.eye(rank, n) + 1
        factor = 1j if np.dtype(dtype).kind == "c" else 1
        return np.array(factor * (tall @ wide) / 8, dtype)

    return Made(build, (n, n))


SAMPLES = [
    S(np.linalg.det, well_conditioned(3, 3), dtypes=COMPLEX, tolerance=1e-2),
    S(np.linalg.det, well_conditioned(2, 2, 2), dtypes=COMPLEX, tolerance=1e-2),
    S(np.linalg.det, (1, 1)),
    S(np.linalg.det, well_conditioned(4, 4), dtypes=COMPLEX, tolerance=1e-2),
    S(np.linalg.det, well_conditioned(5, 5), dtypes=COMPLEX, tolerance=1e-2),
    *(
        S(np.linalg.det, singular(n, rank), dtypes=COMPLEX, id=f"rank-{rank}-of-{n}")
        for n, rank in (
            (1, 0),
            (2, 1),
            (2, 0),
            (3, 2),
            (3, 1),
            (4, 3),
            (4, 2),
            (6, 5),
            (6, 4),
            (5, 2),
        )
    ),
    S(large_cofactors, well_conditioned(5, 5), dtypes=COMPLEX, tolerance=1e-2),
    S(cofactor_changes, well_conditioned(5, 5), (5, 5), dtypes=COMPLEX, tolerance=1e-2),
    S(np.linalg.slogdet, well_conditioned(3, 3), dtypes=COMPLEX),
    S(np.linalg.slogdet, well_conditioned(2, 2, 2), dtypes=COMPLEX),
    S(
        np.linalg.slogdet,
        (3, 3),
        call=lambda x: np.linalg.slogdet(positive_definite(x)).logabsdet,
    ),
]
