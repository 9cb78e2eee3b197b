"""Samples for the rules of ``srcgrad.rules.linalg``."""

import numpy as np

from tests.samples import COMPLEX, S
from tests.samples.matrices import (
    LOOSE,
    hermitian,
    spread,
    well_conditioned,
)


def low_rank(x, y):
    return np.linalg.pinv(x @ y, rcond=1e-4)


def solution(a, b):
    return np.linalg.lstsq(a, b)[0]


def solution_of_low_rank(x, y, b):
    return np.linalg.lstsq(x @ y, b, rcond=1e-4)[0]


def unscaled(a, b):
    """All that is differentiable of least squares."""
    x, sums, _, s = np.linalg.lstsq(a, b, rcond=-1)
    return x, sums, s


SOLVING = [
    S(np.linalg.inv, well_conditioned(3, 3), dtypes=COMPLEX),
    S(np.linalg.inv, well_conditioned(2, 3, 3), dtypes=COMPLEX),
    S(np.linalg.inv, (0, 0)),
    S(np.linalg.pinv, well_conditioned(3, 3), dtypes=COMPLEX),
    S(np.linalg.pinv, spread(4, 2), dtypes=COMPLEX, **LOOSE),
    S(np.linalg.pinv, spread(2, 2, 4), **LOOSE),
    S(
        np.linalg.pinv,
        spread(3, 3),
        call=lambda x: np.linalg.pinv(hermitian(x), hermitian=True),
        dtypes=COMPLEX,
        id="pinv-hermitian",
        **LOOSE,
    ),
    S(np.linalg.pinv, spread(4, 2), spread(2, 3), call=low_rank, **LOOSE),
    S(np.linalg.solve, well_conditioned(3, 3), (3,), dtypes=COMPLEX),
    S(np.linalg.solve, well_conditioned(3, 3), (3, 2), dtypes=COMPLEX),
    S(np.linalg.solve, well_conditioned(2, 3, 3), (3,), dtypes=COMPLEX),
    S(np.linalg.solve, well_conditioned(2, 3, 3), (3, 1)),
    S(np.linalg.solve, well_conditioned(3, 3), (2, 3, 4), dtypes=COMPLEX),
    S(np.linalg.solve, well_conditioned(2, 1, 3, 3), (4, 3, 2)),
    S(np.linalg.solve, (0, 0), (0,)),
    S(
        np.linalg.tensorinv,
        (2, 3, 6),
        call=lambda x: np.linalg.tensorinv(x + 4.0 * np.reshape(np.eye(6), (2, 3, 6))),
    ),
    S(
        np.linalg.tensorsolve,
        (2, 3, 6),
        (2, 3),
        call=lambda x, b: np.linalg.tensorsolve(
            x + 4.0 * np.reshape(np.eye(6), (2, 3, 6)), b
        ),
    ),
    S(
        np.linalg.tensorsolve,
        (6, 2, 3),
        (2, 3),
        call=lambda x, b: np.linalg.tensorsolve(
            x + 4.0 * np.reshape(np.eye(6), (6, 2, 3)), b, axes=(0,)
        ),
    ),
]
LEAST_SQUARES = [
    S(np.linalg.lstsq, spread(4, 2), (4,), dtypes=COMPLEX, **LOOSE),
    S(np.linalg.lstsq, spread(4, 2), (4, 3), call=unscaled, dtypes=COMPLEX, **LOOSE),
    S(np.linalg.lstsq, spread(3, 3), (3, 2), call=solution, **LOOSE),
    S(np.linalg.lstsq, spread(2, 4), (2,), call=solution, dtypes=COMPLEX, **LOOSE),
    S(
        np.linalg.lstsq,
        spread(4, 2),
        spread(2, 3),
        (4, 2),
        call=solution_of_low_rank,
        dtypes=COMPLEX,
        **LOOSE,
    ),
    S(np.linalg.lstsq, spread(4, 2), (4, 0), call=solution),
]
SAMPLES = [*SOLVING, *LEAST_SQUARES]
