"""Samples for the rules of ``srcgrad.rules.scipy.special.bessel``."""

import numpy as np
from scipy import special

from tests.samples import COMPLEX, Constant, S, positive, within

DOUBLE = (np.float64, np.complex128)
BY_ORDER = {"dtypes": (np.float64,), "only_real": True}
HALF = Constant(np.array([[0.5], [2.0]]))

SAMPLES = [
    S(special.kv, within(-3.0, 3.0, 4), positive(4), tolerance=1e-3, only_real=True),
    S(special.kve, within(0.2, 6.0, 4), positive(4), tolerance=1e-3, only_real=True),
    # J by its series, on its path, by waves; and of orders below 0.
    *(
        S(function, within(-2.4, 12.0, 4), within(0.5, 13.0, 4), **BY_ORDER)
        for function in (special.jv, special.yv, special.iv, special.hankel1)
    ),
    *(
        S(function, within(0.2, 2.0, 2), within(0.5, 3.0, 2), **BY_ORDER)
        for name in "jve yve ive hankel2 hankel1e hankel2e".split()
        for function in (getattr(special, name),)
    ),
    *(
        S(getattr(special, name), HALF, positive(3), dtypes=COMPLEX, tolerance=1e-3)
        for name in "jv yv iv kv jve yve ive kve".split()
    ),
    S(special.ive, Constant(0.5), within(-3.0, -0.5, 3), dtypes=(np.complex128,)),
    *(
        S(getattr(special, name), HALF, positive(3), dtypes=(np.complex128,))
        for name in "hankel1 hankel2 hankel1e hankel2e".split()
    ),
    *(S(getattr(special, n), Constant(2), positive(3)) for n in ("jn", "yn", "kn")),
    *(
        S(getattr(special, name), positive(3), tolerance=1e-3)
        for name in "j0 j1 y0 y1 i0 i1 k0 k1 i0e i1e k0e k1e".split()
    ),
    S(special.j1, within(-2.0, 2.0, 4), id="j1-negative"),
    S(special.i1e, within(-2.0, 2.0, 4), id="i1e-negative"),
    *(
        S(getattr(special, name), Constant(2), positive(3), *slope, dtypes=DOUBLE)
        for slope in ((), (Constant(True),))
        for name in "spherical_jn spherical_yn spherical_in spherical_kn".split()
    ),
    S(special.spherical_jn, Constant(0), positive(3)),
    S(special.besselpoly, positive(2), positive(2), within(-0.4, 2.0, 2), **BY_ORDER),
    # By its terms, and by an integral.
    *(
        S(function, within(-0.4, 3.0, 2), Constant(np.array([2.0, 11.0])), **BY_ORDER)
        for function in (special.struve, special.modstruve)
    ),
    S(special.struve, HALF, positive(3), tolerance=1e-3),
    S(special.modstruve, HALF, positive(3), tolerance=1e-3),
    *(
        S(getattr(special, name), positive(3), tolerance=1e-3)
        for name in "itj0y0 iti0k0 it2j0y0 it2i0k0 itstruve0 it2struve0 itmodstruve0 "
        "itairy ber bei ker kei berp beip kerp keip".split()
    ),
    S(special.kelvin, positive(3), dtypes=(np.float64,)),
    S(special.airy, (4,), dtypes=COMPLEX, tolerance=1e-3),
    S(
        special.airye,
        positive(4),
        call=lambda z: special.airye(np.real(z)),
        tolerance=1e-3,
    ),
    S(special.besselpoly, positive(4), Constant(0.5), Constant(1.5)),
]
