"""Samples for the rules of ``srcgrad.rules.scipy.special.orthogonal``."""

import numpy as np
from scipy import special

from tests.samples import Constant, S, within

INSIDE = within(-0.8, 0.8, 4)
DEGREES = Constant(np.array([[0], [1], [3]]))
REAL_DEGREE = Constant(2.5)
DEGREE, PARAMETER, LARGER = (
    within(*ends, 2) for ends in ((0.3, 2.6), (0.2, 1.9), (2.2, 3.9))
)
WHOLE, INSIDE_HALF = Constant(np.array([2, 3])), within(-0.5, 0.7, 2)
BY_ALL = {"dtypes": (np.float64,), "only_real": True}

SAMPLES = [
    *(
        S(function, DEGREES, INSIDE)
        for function in (special.eval_legendre, special.eval_chebyt)
    ),
    *(
        S(getattr(special, f"eval_{name}"), DEGREES, INSIDE)
        for name in "chebyu chebyc chebys laguerre hermite hermitenorm".split()
    ),
    *(
        S(getattr(special, f"eval_sh_{name}"), DEGREES, within(0.1, 0.9, 4))
        for name in "legendre chebyt chebyu".split()
    ),
    *(
        S(
            getattr(special, f"eval_sh_cheby{kind}"),
            DEGREE,
            within(0.1, 0.9, 2),
            **BY_ALL,
        )
        for kind in "tu"
    ),
    S(special.eval_legendre, REAL_DEGREE, INSIDE, dtypes=(np.float64, np.complex128)),
    S(special.eval_gegenbauer, DEGREES, Constant(0.7), INSIDE),
    S(special.eval_genlaguerre, DEGREES, Constant(0.7), INSIDE),
    S(special.eval_jacobi, DEGREES, Constant(0.7), Constant(0.4), INSIDE),
    S(
        special.eval_sh_jacobi,
        *(DEGREES, Constant(2.7), Constant(1.4)),
        within(0.1, 0.9, 4),
    ),
    S(special.lpmv, Constant(1), Constant(np.array([[1], [3]])), INSIDE),
    S(special.assoc_laguerre, INSIDE, Constant(3), Constant(0.7)),
    *(
        S(getattr(special, f"eval_{name}"), DEGREE, within(0.2, 0.8, 2), **BY_ALL)
        for name in "legendre chebyt chebyu chebyc chebys laguerre sh_legendre".split()
    ),
    *(
        S(function, DEGREE, PARAMETER, within(0.2, 0.8, 2), **BY_ALL)
        for function in (special.eval_gegenbauer, special.eval_genlaguerre)
    ),
    *(
        S(function, WHOLE, PARAMETER, INSIDE_HALF, **BY_ALL)
        for function in (special.eval_gegenbauer, special.eval_genlaguerre)
    ),
    S(special.eval_jacobi, DEGREE, PARAMETER, PARAMETER, INSIDE_HALF, **BY_ALL),
    S(special.eval_jacobi, WHOLE, PARAMETER, PARAMETER, INSIDE_HALF, **BY_ALL),
    S(special.eval_sh_jacobi, DEGREE, LARGER, PARAMETER, within(0.2, 0.8, 2), **BY_ALL),
    S(special.eval_sh_jacobi, WHOLE, LARGER, PARAMETER, within(0.2, 0.8, 2), **BY_ALL),
    S(special.lpmv, Constant(1), DEGREE, INSIDE_HALF, **BY_ALL),
]
