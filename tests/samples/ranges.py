"""Samples for the rules of ``srcgrad.rules.ranges``."""

import numpy as np

from tests.samples import COMPLEX, Constant, S, positive

SAMPLES = [
    S(np.linspace, (), (), num=4, dtypes=COMPLEX),
    S(np.linspace, (2,), (3, 1), num=4, endpoint=False, axis=-1),
    S(np.linspace, (2,), (2,), num=3, axis=1, retstep=True, dtypes=COMPLEX),
    S(np.linspace, (), (), num=3, endpoint=False, retstep=True),
    S(np.linspace, Constant(0.0), (), num=1),
    S(np.geomspace, positive(), positive(), num=4, dtypes=COMPLEX),
    S(np.geomspace, positive(2), positive(3, 1), num=4, endpoint=False, axis=1),
    S(np.geomspace, positive(2), Constant(7.0), num=1),
    S(np.logspace, (), (), num=4, dtypes=COMPLEX),
    S(np.logspace, (2,), (3, 1), num=4, base=2.0, axis=1, endpoint=False),
    S(
        np.logspace,
        (2,),
        (),
        positive(3, 1),
        call=lambda a, b, base: np.logspace(a, b, 4, base=base, axis=-1),
    ),
]
