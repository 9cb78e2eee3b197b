"""Samples for the rules of ``srcgrad.rules.scipy.special.counting``."""

import numpy as np
from scipy import special

from srcgrad.rules.libraries import replacement_of
from tests.samples import Constant, S, positive, within

BOTH = (np.float64, np.complex128)
DOUBLE = (np.float64,)
factorialk = replacement_of(special.factorialk)
ORDER = Constant(1.5)

SAMPLES = [
    S(special.comb, within(4.0, 8.0, 4), within(0.5, 3.5, 4), dtypes=DOUBLE),
    S(special.comb, within(4.0, 8.0, 4), within(0.5, 3.5, 4), repetition=True),
    S(special.perm, within(4.0, 8.0, 4), within(0.5, 3.5, 4), dtypes=DOUBLE),
    S(special.factorial, positive(4), dtypes=DOUBLE, only_real=True),
    S(special.factorial, positive(4), extend="complex", dtypes=BOTH),
    S(special.factorial2, positive(4), extend="complex", dtypes=BOTH),
    S(special.factorialk, positive(4), Constant(3), extend="complex", dtypes=BOTH),
    S(
        *(special.factorialk, positive(4), positive()),
        call=lambda n, k: factorialk(n, np.real(k)[()], extend="complex"),
        dtypes=DOUBLE,
        only_real=True,
    ),
    S(special.diric, within(0.2, 2.9, 4), Constant(5)),
    *(
        S(function, ORDER, positive(4), *n, dtypes=DOUBLE, only_real=True)
        for function in (
            special.jvp,
            special.yvp,
            special.ivp,
            special.kvp,
            special.h1vp,
            special.h2vp,
        )
        for n in ((), (Constant(0),), (Constant(3),))
    ),
    S(special.kolmogorov, within(0.2, 2.2, 8)),
    S(special.kolmogi, within(0.1, 0.9, 4)),
    S(special.smirnov, Constant(7), within(0.1, 0.6, 4)),
    S(special.smirnovi, Constant(7), within(0.1, 0.9, 4)),
]
