"""Samples for the rules of ``srcgrad.rules.scipy.special.elliptic``."""

from scipy import special

from tests.samples import COMPLEX, S, positive, within

PARAMETER = within(0.1, 0.8, 4)

SAMPLES = [
    S(special.elliprf, positive(3), within(3.1, 5.0, 3), within(5.1, 7.0, 3)),
    S(special.elliprf, positive(3), positive(3), positive(3), dtypes=COMPLEX),
    S(special.elliprg, positive(3), within(3.1, 5.0, 3), within(5.1, 7.0, 3)),
    S(special.elliprd, positive(3), within(3.1, 5.0, 3), within(5.1, 7.0, 3)),
    S(special.elliprj, positive(3), positive(3), positive(3), within(3.1, 7.0, 3)),
    S(special.elliprc, positive(3), within(3.1, 5.0, 3)),
    S(special.ellipk, PARAMETER),
    S(special.ellipe, PARAMETER),
    S(special.ellipkm1, PARAMETER),
    S(special.ellipkinc, within(-4.0, 4.0, 2, 4), PARAMETER),
    S(special.ellipeinc, within(-4.0, 4.0, 2, 4), PARAMETER),
    S(special.ellipj, within(-3.0, 3.0, 4), PARAMETER),
    S(special.agm, positive(3), within(3.1, 5.0, 3)),
]
