"""Samples for the rules of ``srcgrad.rules.scipy.programs``."""

from scipy import optimize

from tests.samples import positive
from tests.samples.scipy.filters import of

SAMPLES = [
    of(optimize.nnls, (5, 3), (5,)),
    of(optimize.nnls, positive(4, 2), positive(4)),
    of(optimize.rosen, (4,)),
    of(optimize.rosen_der, (4,)),
    of(optimize.rosen_hess, (3,)),
    of(optimize.rosen_hess_prod, (3,), (3,)),
]
