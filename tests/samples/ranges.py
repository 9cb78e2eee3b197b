"""Samples for the rules of ``srcgrad.rules.ranges``."""

import numpy as np

from tests.samples import COMPLEX, Constant, S, positive

SAMPLES = [
    S(np.linspace, (), (), num=5, dtypes=COMPLEX),
    S(np.linspace, (3, 1), (4,), num=3, axis=-1, endpoint=False),
    S(np.linspace, (2, 3), (), num=4, axis=1),
    S(np.linspace, (), (), num=4, retstep=True),
    S(np.linspace, (), (), num=4, retstep=True, endpoint=False),
    S(np.linspace, (3,), Constant(2.0), num=1),
    S(np.linspace, (3,), (3,), num=0),
    S(np.logspace, (), (), num=4),
    S(np.logspace, (3,), (2, 1), num=3, base=2.0, axis=-1),
    S(np.logspace, (), (), num=3, base=positive(2)),
    S(np.geomspace, positive(), positive(), num=4, dtypes=COMPLEX),
    S(np.geomspace, positive(3), positive(2, 1), num=3, axis=1),
    S(np.geomspace, positive(), positive(3), num=3, endpoint=False, axis=-1),
    S(np.geomspace, positive(2), Constant(8.0), num=1),
    S(None, positive(), positive(), call=lambda x, y: np.geomspace(-x, -y, 4)),
    S(np.vander, (3,), tolerance=1e-3, dtypes=COMPLEX),
    S(np.vander, (4,), Constant(3), increasing=True),
    S(np.vander, (3,), Constant(0)),
    S(np.vander, (3,), Constant(1)),
]
