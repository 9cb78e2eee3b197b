"""Samples for the rules of ``srcgrad.rules.scipy.linalg.cossin``."""

import numpy as np
from scipy import linalg

from srcgrad.rules.libraries import replacement_of
from tests.samples import S


def turned(p, q, **kwargs):
    """Of an orthogonal matrix that stays one, without the signs."""

    def call(a):
        if np.iscomplexobj(a):
            raise TypeError("the phases are not determined")
        x = replacement_of(linalg.expm)(a - np.swapaxes(a, -1, -2))
        left, middle, right = replacement_of(linalg.cossin)(x, p, q, **kwargs)
        parts = (
            [*left, middle, *right] if "separate" in kwargs else [left, middle, right]
        )
        return [np.abs(part) for part in parts]

    return call


SAMPLES = [
    S(linalg.cossin, (4, 4), call=call, dtypes=(np.float64,), only_real=True)
    for call in (
        turned(2, 2),
        turned(1, 2, swap_sign=True),
        turned(2, 2, separate=True),
    )
]
