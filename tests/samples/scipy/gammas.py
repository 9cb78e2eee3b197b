"""Samples for the rules of ``srcgrad.rules.scipy.special.gammas``."""

import numpy as np
from scipy import special

from tests.samples import COMPLEX, Constant, Draw, S, positive, within

DOUBLE = (np.float64,)

SAMPLES = [
    S(special.gamma, positive(3), dtypes=COMPLEX),
    S(special.gamma, within(-0.9, -0.1, 3), id="gamma-negative"),
    S(special.gammaln, positive(3)),
    S(special.gammaln, within(-1.9, -1.1, 3), id="gammaln-negative"),
    S(special.loggamma, positive(3), dtypes=COMPLEX),
    S(special.loggamma, within(-1.0, 4.0, 4), dtypes=(np.complex128,), id="left"),
    S(special.rgamma, positive(3), dtypes=COMPLEX),
    S(special.digamma, positive(3), dtypes=COMPLEX),
    S(special.psi, within(-3.0, 3.0, 6), dtypes=(np.complex128,), id="psi-around"),
    S(special.digamma, within(-0.9, -0.1, 3), id="digamma-negative"),
    S(special.polygamma, Constant(2), positive(3)),
    S(special.polygamma, Constant(np.array([0, 1, 3])), positive(2, 3), dtypes=DOUBLE),
    S(special.multigammaln, within(2.0, 5.0, 3), Constant(3)),
    S(special.beta, positive(3), positive(2, 3)),
    S(special.betaln, positive(3), positive(2, 3)),
    S(special.binom, within(3.0, 5.0, 3), within(0.3, 2.7, 3)),
    S(special.binom, within(3.0, 5.0, 3), Constant(2.5)),
    S(special.poch, positive(3), within(0.3, 2.0, 2, 3)),
    S(special.zeta, Constant(2.5), positive(3)),
    S(special.gammaln, Draw((), 1.0, 2.0)),
    S(special.zeta, within(1.3, 6.0, 4), positive(4), only_real=True),
    S(special._ufuncs._zeta, within(1.3, 6.0, 4), positive(4), only_real=True),
    S(special._ufuncs._riemann_zeta, within(1.3, 6.0, 4), only_real=True),
    S(special.zetac, within(1.3, 6.0, 4)),
]
