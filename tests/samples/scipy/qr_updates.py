"""Samples for the rules of ``srcgrad.rules.scipy.linalg.qr_updates``."""

import numpy as np
from scipy import linalg

from srcgrad.rules.libraries import replacement_of
from tests.samples import S
from tests.samples.matrices import spread

DOUBLE = (np.float64,)


def changed(name, mode="economic", **kwargs):
    """Of factors that stay factors: those of a matrix."""

    def call(a, *others):
        if np.iscomplexobj(a):
            raise TypeError("the phases are not determined")
        q, r = replacement_of(linalg.qr)(a, mode=mode)
        found = replacement_of(getattr(linalg, name))(q, r, *others, **kwargs)
        return [np.abs(factor) for factor in found]

    return call


def row(name, *shapes, **kwargs):
    call = changed(name, **kwargs)
    return S(getattr(linalg, name), *shapes, call=call, dtypes=DOUBLE, only_real=True)


SAMPLES = [
    row("qr_insert", spread(4, 3), (3,), k=1),
    row("qr_insert", spread(3, 3), (3,), k=1, mode="full"),
    row("qr_insert", spread(4, 2), (4,), k=0, which="col"),
    row("qr_delete", spread(4, 3), k=1, p=2, which="col"),
    row("qr_update", spread(4, 2), (4,), (2,)),
    row("qr_update", spread(3, 3), (3, 2), (3, 2), mode="full"),
]
