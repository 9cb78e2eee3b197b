"""Samples for the compositions of ``srcgrad.rules.calling``."""

import numpy as np

from tests.samples import COMPLEX, S, within


def pieces():
    def steep(x):
        return x**3

    yield S(
        *(np.piecewise, (8,)),
        call=lambda x: np.piecewise(x, [x < -1.0, x > 0.1], [np.sin, steep, np.exp]),
        dtypes=COMPLEX,
    )
    yield S(
        *(np.piecewise, (6,)),
        call=lambda x: np.piecewise(x, x > 0.1, [lambda x, a: a * x, 0.5], 3.0),
    )
    yield S(
        *(np.piecewise, within(0.5, 1.5)),
        call=lambda x: np.piecewise(x, [x > 0.1], [np.sin]),
    )
    yield S(
        *(np.piecewise, (5,)),
        call=lambda x: np.piecewise(x, [[True] * 2 + [False] * 3], [np.sin, 2.0]),
    )


def along_axes():
    def shares(row, power=2.0):
        return row**power / np.sum(row)

    for axis in (0, 1, -1):
        yield S(
            *(np.apply_along_axis, within(0.3, 3.0, 2, 3, 2)),
            call=lambda x, axis=axis: np.apply_along_axis(np.sum, axis, x),
        )
        yield S(
            *(np.apply_along_axis, within(0.3, 3.0, 2, 3, 2)),
            call=lambda x, axis=axis: np.apply_along_axis(shares, axis, x, power=3.0),
        )
    yield S(
        *(np.apply_along_axis, (3, 2)),
        call=lambda x: np.apply_along_axis(np.diag, 0, x),
        dtypes=COMPLEX,
    )
    yield S(
        *(np.apply_over_axes, (2, 3, 2)),
        call=lambda x: np.apply_over_axes(np.sum, x, [0, -1]),
        dtypes=COMPLEX,
    )


SAMPLES = [*pieces(), *along_axes()]
