"""Samples for the rules of ``srcgrad.rules.scipy.linalg.other_factors``."""

import functools

import numpy as np
from scipy import linalg

from srcgrad.rules.libraries import replacement_of
from tests.samples import Made, S, positive
from tests.samples.matrices import adjoint, spread
from tests.samples.scipy.linear_equations import definite

DOUBLE = (np.float64, np.complex128)
REALS = (np.float64,)


def named(name):
    return replacement_of(getattr(linalg, name))


def ldl(lower):
    """Of a Hermitian matrix, and what its permutation leaves to be seen."""

    def call(a):
        factor, middle, _ = named("ldl")(0.5 * (a + adjoint(a)), lower)
        return factor, middle

    return call


def squared(name, **kwargs):
    """Products in which the signs of vectors are gone."""

    def call(*args):
        values, vectors = named(name)(*args, **kwargs)
        return values, vectors * vectors

    return call


def projector(a):
    basis = named("orth")(a)
    return basis @ adjoint(basis)


INDEFINITE = Made(
    lambda rng, dtype: np.array(
        [[0.1, 2.0, 0.3], [2.0, 0.2, -0.4], [0.3, -0.4, 1.5]], dtype
    ),
    (3, 3),
)

real = functools.partial(S, dtypes=REALS, only_real=True)

SAMPLES = [
    real(linalg.rq, (3, 3), only_native=True),
    real(linalg.rq, (2, 4), mode="economic"),
    real(linalg.rq, (4, 2), mode="economic"),
    *(
        S(linalg.ldl, matrix, call=ldl(lower), dtypes=DOUBLE, only_native=True)
        for matrix in (definite(3, 3), INDEFINITE)
        for lower in (True, False)
    ),
    S(linalg.orth, (4, 2), call=projector, dtypes=DOUBLE, only_native=True),
    real(linalg.subspace_angles, (5, 2), (5, 2)),
    real(linalg.matrix_balance, (3, 3)),
    S(linalg.eigh_tridiagonal, (4,), (3,), call=squared("eigh_tridiagonal")),
    real(linalg.eigvalsh_tridiagonal, (4,), (3,)),
    S(
        *(linalg.eigh_tridiagonal, (4,), (3,)),
        call=squared("eigh_tridiagonal", select="i", select_range=(0, 1)),
    ),
    real(linalg.eigh_tridiagonal, (4,), (3,), eigvals_only=True),
    real(linalg.qr_multiply, (4, 3), (2, 4)),
    real(linalg.qr_multiply, (4, 3), (3, 2), mode="left"),
    S(linalg.solve_circulant, positive(4), (4,), dtypes=DOUBLE),
    S(linalg.solve_circulant, positive(4), (4, 2), dtypes=REALS),
    S(linalg.solve_circulant, positive(4, 2), (2, 4), caxis=0, baxis=-1, outaxis=-1),
    S(
        linalg.matrix_balance,
        spread(3, 3),
        call=lambda a: replacement_of(linalg.matrix_balance)(a, separate=True)[0],
        dtypes=DOUBLE,
    ),
]
