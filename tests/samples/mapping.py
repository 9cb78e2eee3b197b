"""Samples for the compositions of ``srcgrad.rules.mapping``."""

import numpy as np

from tests.samples import COMPLEX, S


def along(function, axis, *args):
    return lambda x: np.apply_along_axis(function, axis, x, *args)


def over(function, axes):
    return lambda x: np.apply_over_axes(function, x, axes)


def doubled(x, axis):
    return np.sum(x * x, axis=axis, keepdims=True)


SAMPLES = [
    S(np.apply_along_axis, (2, 3, 4), call=along(np.sum, 1), dtypes=COMPLEX, id="sum"),
    S(np.apply_along_axis, (2, 3), call=along(np.cumsum, 0), id="cumsum"),
    S(np.apply_along_axis, (3, 2), call=along(np.outer, 0, np.ones(2)), id="outer"),
    S(np.apply_along_axis, (2, 3, 2), call=along(np.diag, -2), id="diag"),
    S(np.apply_along_axis, (4,), call=along(lambda x: x[:2] ** 2, 0), id="square"),
    S(np.apply_over_axes, (2, 3, 4), call=over(np.sum, (0, -1)), dtypes=COMPLEX),
    S(np.apply_over_axes, (2, 3), call=over(doubled, 1)),
]
