"""Samples for the rules of ``srcgrad.rules.scipy.special.entropies``."""

import numpy as np
from scipy import special

from tests.samples import COMPLEX, REAL, Constant, S, positive, within

WEIGHTS = np.array([[0.5, 1.0, 2.0], [1.5, 0.7, 0.2]])

SAMPLES = [
    S(special.cbrt, positive(3)),
    S(special.exp2, (3,)),
    S(special.exp10, (3,)),
    S(special.expm1, (3,), dtypes=COMPLEX),
    S(special.log1p, positive(3), dtypes=COMPLEX),
    S(special.cosm1, (3,)),
    S(special.exprel, within(-3.0, 3.0, 8), tolerance=1e-3),
    S(special.powm1, positive(3), (2, 3)),
    S(special.cosdg, within(-90.0, 90.0, 4)),
    S(special.sindg, within(-90.0, 90.0, 4)),
    S(special.tandg, within(-60.0, 60.0, 4)),
    S(special.cotdg, within(20.0, 80.0, 4)),
    S(special.radian, (3,), (3,), (3,)),
    S(special.xlogy, (3,), positive(2, 3)),
    S(special.xlogy, positive(3), positive(3), dtypes=(np.complex128,)),
    S(special.xlog1py, (3,), positive(2, 3)),
    S(special.xlog1py, positive(3), positive(3), dtypes=(np.complex128,)),
    S(special.entr, positive(3)),
    S(special.rel_entr, positive(3), positive(2, 3)),
    S(special.kl_div, positive(3), positive(2, 3)),
    S(special.huber, within(0.6, 0.9, 1), within(-3.0, 3.0, 8)),
    S(special.huber, positive(4), within(-0.2, 0.2, 4), id="huber-inside"),
    S(special.pseudo_huber, positive(3), (2, 3)),
    S(special.expit, within(-5.0, 5.0, 4)),
    S(special.logit, within(0.1, 0.9, 4)),
    S(special.log_expit, within(-5.0, 5.0, 4)),
    S(special.logsumexp, (2, 3)),
    S(special.logsumexp, (2, 3), axis=1),
    S(special.logsumexp, (2, 3), axis=(0, 1), keepdims=True),
    S(special.logsumexp, (2, 3), axis=0, b=WEIGHTS),
    S(
        special.logsumexp,
        *((2, 3), Constant(1), positive(2, 3)),
        id="logsumexp-weights-differentiated",
    ),
    S(
        special.logsumexp,
        (2, 3),
        axis=1,
        b=WEIGHTS - 0.9,
        return_sign=True,
        tolerance=1e-3,
    ),
    S(special.logsumexp, (2, 3), axis=1, dtypes=(np.complex128,), id="complex"),
    S(special.softmax, (2, 3), axis=1),
    S(special.softmax, (2, 3)),
    S(special.log_softmax, (2, 3), axis=-1),
    S(special.log_softmax, (4,)),
    S(special.boxcox, positive(4), within(-0.5, 1.5, 4)),
    S(special.boxcox, positive(4), Constant(0.0)),
    S(special.boxcox1p, positive(4), within(-0.5, 1.5, 4)),
    S(special.inv_boxcox, positive(4), within(0.0, 1.5, 4)),
    S(special.inv_boxcox1p, positive(4), within(0.0, 1.5, 4)),
]
if hasattr(special, "softplus"):  # from SciPy 1.17
    SAMPLES += [S(special.softplus, within(-5.0, 5.0, 4), dtypes=REAL)]
