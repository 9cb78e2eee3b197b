"""Samples for the rules of ``srcgrad.rules.linalg``."""

import functools

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


def with_unit(function, *shape, **kwargs):
    """The function of a tensor that is not far from a unit matrix."""
    unit = 4.0 * np.reshape(np.eye(6), shape)
    return lambda x, *others: function(x + unit, *others, **kwargs)


every = functools.partial(S, dtypes=COMPLEX)
loose = functools.partial(S, **LOOSE)
each = functools.partial(S, dtypes=COMPLEX, **LOOSE)
solve, lstsq = np.linalg.solve, np.linalg.lstsq
tensorinv, tensorsolve = np.linalg.tensorinv, np.linalg.tensorsolve

SAMPLES = [
    every(np.linalg.inv, well_conditioned(3, 3)),
    every(np.linalg.inv, well_conditioned(2, 3, 3)),
    S(np.linalg.inv, (0, 0)),
    every(np.linalg.pinv, well_conditioned(3, 3)),
    each(np.linalg.pinv, spread(4, 2)),
    loose(np.linalg.pinv, spread(2, 2, 4)),
    each(
        *(np.linalg.pinv, spread(3, 3)),
        call=lambda x: np.linalg.pinv(hermitian(x), hermitian=True),
        id="pinv-hermitian",
    ),
    loose(np.linalg.pinv, spread(4, 2), spread(2, 3), call=low_rank),
    every(solve, well_conditioned(3, 3), (3,)),
    every(solve, well_conditioned(3, 3), (3, 2)),
    every(solve, well_conditioned(2, 3, 3), (3,)),
    S(solve, well_conditioned(2, 3, 3), (3, 1)),
    every(solve, well_conditioned(3, 3), (2, 3, 4)),
    S(solve, well_conditioned(2, 1, 3, 3), (4, 3, 2)),
    S(solve, (0, 0), (0,)),
    S(tensorinv, (2, 3, 6), call=with_unit(tensorinv, 2, 3, 6)),
    S(tensorsolve, (2, 3, 6), (2, 3), call=with_unit(tensorsolve, 2, 3, 6)),
    S(tensorsolve, (6, 2, 3), (2, 3), call=with_unit(tensorsolve, 6, 2, 3, axes=(0,))),
    each(lstsq, spread(4, 2), (4,)),
    each(lstsq, spread(4, 2), (4, 3), call=unscaled),
    loose(lstsq, spread(3, 3), (3, 2), call=solution),
    each(lstsq, spread(2, 4), (2,), call=solution),
    each(lstsq, spread(4, 2), spread(2, 3), (4, 2), call=solution_of_low_rank),
    S(lstsq, spread(4, 2), (4, 0), call=solution),
]
