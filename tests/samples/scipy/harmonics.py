"""Samples for the rules of ``srcgrad.rules.scipy.special.harmonics``."""

import numpy as np
from scipy import special

from srcgrad.rules.scipy.precision import doubles
from tests.samples import Constant, S, within

DOUBLE = (np.float64,)
N, M = Constant(np.array([3, 2, 1, 0])), Constant(np.array([-2, 2, 0, 0]))
ANGLE = within(0.3, 2.8, 4)
Q = within(0.5, 3.0, 3)
INSIDE, OUTSIDE = within(-0.9, 0.9, 4), within(1.2, 2.0, 4)


def in_doubles(function):
    """SciPy 1.17 finds no end, or nan, where these are given single precision."""
    return lambda *args: function(*args[:-1], doubles(args[-1]))


def of_doubles(function, *specs):
    call = in_doubles(function)
    return S(function, *specs, call=call, dtypes=DOUBLE, id=function.__name__)


SAMPLES = [
    S(special.sph_harm_y, N, M, ANGLE, (4,), dtypes=DOUBLE),
    S(special.sph_legendre_p, N, M, ANGLE, dtypes=DOUBLE),
    S(special.assoc_legendre_p, N, M, INSIDE, dtypes=DOUBLE),
    S(special.legendre_p, N, INSIDE, dtypes=DOUBLE),
    S(special.legendre_p, N, INSIDE, diff_n=2, dtypes=DOUBLE),
    *(
        of_doubles(function, Constant(2), Constant(1.5), x)
        for function, x in (
            (special.mathieu_modcem1, within(0.2, 0.9, 4)),
            (special.mathieu_modcem2, within(0.2, 0.9, 4)),
            (special.mathieu_modsem1, within(0.2, 0.9, 4)),
            (special.mathieu_modsem2, within(0.2, 0.9, 4)),
        )
    ),
    of_doubles(special.mathieu_cem, Constant(2), Q, within(10.0, 80.0, 3)),
    of_doubles(special.mathieu_sem, Constant(3), Q, within(10.0, 80.0, 3)),
    *(
        of_doubles(function, Constant(1), Constant(2), Constant(1.5), x)
        for function, x in (
            (special.pro_ang1, INSIDE),
            (special.pro_rad1, OUTSIDE),
            (special.pro_rad2, within(2.0, 3.0, 4)),
            (special.obl_rad2, within(2.0, 3.0, 4)),
            (special.obl_ang1, INSIDE),
            (special.obl_rad1, within(0.2, 2.0, 4)),
        )
    ),
    *(
        of_doubles(
            getattr(special, f"{kind}_{name}_cv"),
            Constant(1),
            Constant(2),
            Constant(1.5),
            Constant(getattr(special, f"{kind}_cv")(1, 2, 1.5)),
            x,
        )
        for kind, name, x in (
            ("pro", "ang1", INSIDE),
            ("pro", "rad1", OUTSIDE),
            ("pro", "rad2", within(2.0, 3.0, 4)),
            ("obl", "rad2", within(2.0, 3.0, 4)),
            ("obl", "ang1", INSIDE),
            ("obl", "rad1", within(0.2, 2.0, 4)),
        )
    ),
    S(special.modfresnelp, within(0.2, 2.0, 4)),
    S(special.modfresnelm, within(0.2, 2.0, 4)),
]
