"""Samples for the rules of ``srcgrad.rules.scipy.linalg.schur``."""

import numpy as np
from scipy import linalg

from srcgrad.rules.libraries import replacement_of
from tests.samples import Made, S

BOTH = (np.float64, np.complex128)
REALS = (np.float64,)


def named(name, **kwargs):
    return lambda *args: replacement_of(getattr(linalg, name))(*args, **kwargs)


def sized(name, keep=slice(None), **kwargs):
    """The sizes of the elements, which no phase or sign changes."""

    def call(*args):
        return [np.abs(part) for part in named(name, **kwargs)(*args)[keep]]

    return call


def fixed(rows):
    """It nearly has the form: no precision finds the eigenvalues in another order."""

    def build(rng, dtype):
        rest = 0.02 * rng.standard_normal((4, 4))
        twist = (
            0.02j * rng.standard_normal((4, 4)) if np.dtype(dtype).kind == "c" else 0
        )
        return (np.array(rows) + rest + twist).astype(dtype)

    return Made(build, (4, 4))


A = fixed(
    [[1.0, 2.0, 0.3, 0.1], [-2.0, 1.5, 0.4, 0.2], [0, 0, -2.0, 1], [0, 0, 0, 4]],
)
B = fixed(
    [[2.0, 0.5, 0.1, 0.0], [0.0, 1.0, 0.2, 0.4], [0, 0, 3.0, -1], [0, 0, 0, 1]],
)


def made_complex(a):
    """Of a real form that stays one."""
    return [np.abs(part) for part in named("rsf2csf")(*named("schur")(a))]


def made_real(a):
    return [np.abs(part) for part in named("cdf2rdf")(*named("eig")(a))]


SAMPLES = [
    S(linalg.schur, A, call=sized("schur"), dtypes=BOTH),
    S(linalg.schur, A, call=sized("schur", slice(2), sort="lhp"), dtypes=REALS),
    S(linalg.schur, A, call=sized("schur", output="complex"), dtypes=REALS),
    S(linalg.qz, A, B, call=sized("qz"), dtypes=BOTH),
    S(linalg.ordqz, A, B, call=sized("ordqz", slice(4, 6)), dtypes=BOTH),
    S(linalg.hessenberg, A, calc_q=True, dtypes=BOTH),
    S(linalg.hessenberg, (2, 2), dtypes=REALS),
    S(linalg.rsf2csf, A, call=made_complex, dtypes=REALS, only_real=True),
    S(linalg.cdf2rdf, A, call=made_real, dtypes=REALS, only_real=True),
]
