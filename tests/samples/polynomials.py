"""Samples for the compositions of ``srcgrad.rules.polynomials``."""

import numpy as np

from tests.samples import COMPLEX, Constant, Made, S

DOUBLE = (np.float64, np.complex128)
BINARY = (np.polyadd, np.polysub, np.polymul)


def apart(n):
    """The coefficients of a polynomial whose roots are apart from each other."""

    def build(rng, dtype):
        roots = np.arange(1.0, n) * (-1.0) ** np.arange(n - 1) * 0.7
        return (np.poly(roots) + rng.uniform(0.0, 0.02, n)).astype(dtype)

    return Made(build, (n,))


def zeroed(p):
    """Two zeros, a polynomial, and two zeros again."""
    return np.concatenate((np.zeros(2), p, np.zeros(2)))


def everything(x, y, w):
    c, sums, _, s, _ = np.polyfit(x, y, 2, full=True, w=w)
    return c, sums, s


SAMPLES = [
    S(np.polyval, (4,), (2, 3), dtypes=COMPLEX),
    S(np.polyval, (1,), ()),
    S(np.polyval, Constant([1, 2, 3]), (3,)),
    S(np.polyval, (3,), Constant([1.0, 2.0])),
    *(S(function, (4,), (2,), dtypes=COMPLEX) for function in BINARY),
    *(S(function, (2,), (4,)) for function in BINARY),
    S(np.polyadd, (), (3,)),
    S(np.polymul, (2,), (3,), call=lambda p, q: np.polymul(zeroed(p), zeroed(q))),
    S(np.polymul, (2,), call=lambda p: np.polymul(p, np.zeros(2)), dtypes=DOUBLE),
    S(
        np.polydiv,
        (5,),
        (3,),
        # The rest is as long as it is not zero up to rounding, which is by the dtype.
        call=lambda u, v: np.polydiv(u, v)[0],
        dtypes=COMPLEX,
        tolerance=1e-2,
    ),
    S(np.polydiv, (2,), (3,)),
    S(np.polyder, (5,), dtypes=COMPLEX),
    S(np.polyder, (5,), m=2),
    S(np.polyder, (5,), m=0),
    S(np.polyint, (3,), dtypes=COMPLEX),
    S(np.polyint, (3,), m=2),
    S(np.polyint, (3,), Constant(2), ()),
    S(np.polyint, (3,), Constant(2), (3,)),
    S(np.poly, (4,), dtypes=COMPLEX),
    S(np.poly, (3, 3), dtypes=DOUBLE, id="poly-matrix"),
    S(np.poly, (2,), call=lambda x: np.poly([[1.0, -2.0], [2.0, 1.0]] + x * 0.1)),
    S(np.poly, (2,), call=lambda x: np.poly(np.concatenate((x * 1j, x * -1j)))),
    S(np.roots, apart(5), dtypes=COMPLEX, tolerance=1e-2),
    S(np.roots, apart(4), call=lambda p: np.roots(zeroed(p)), tolerance=1e-2),
    S(np.roots, (1,), call=lambda p: np.sum(np.roots(zeroed(p))) + np.sum(p)),
    S(np.vander, (3,), dtypes=COMPLEX),
    S(np.vander, (4,), N=2, increasing=True),
    S(np.vander, (2,), N=4),
    S(np.polyfit, (5,), (5,), Constant(2), tolerance=1e-2),
    S(np.polyfit, (5,), (5, 2), Constant(1), dtypes=DOUBLE),
    S(np.polyfit, (6,), (6,), (6,), call=everything, dtypes=(np.float64,)),
    S(np.polyfit, (5,), (5,), Constant(1), cov=True, dtypes=(np.float64,)),
    S(np.polyfit, (5,), (5, 2), Constant(1), cov=True, dtypes=(np.float64,)),
    S(np.polyfit, (5,), (5, 2), Constant(1), cov="unscaled", dtypes=(np.float64,)),
]
