"""Samples for the rules of ``srcgrad.rules.scipy.linalg.bands``."""

import numpy as np
from scipy import linalg

from srcgrad.rules.libraries import replacement_of
from tests.samples import Draw, Made, S
from tests.samples.matrices import adjoint

DOUBLE = (np.float64, np.complex128)


def named(name):
    return replacement_of(getattr(linalg, name))


def bands(rows, n, lower):
    """Of a matrix whose diagonal prevails; what lies outside of it is zero."""

    def build(rng, dtype):
        ab = (0.3 * Draw((rows, n))(rng, dtype)).astype(dtype)
        ab[0 if lower else -1] = np.real(ab[0 if lower else -1]) + 3.0
        for k in range(rows):
            row = ab[k if lower else rows - 1 - k]
            row[slice(n - k, None) if lower else slice(k)] = 0.0
        return ab

    return Made(build, (rows, n))


def squared(ab, lower, **part):
    values, vectors = named("eig_banded")(ab, lower, **part)
    return values, np.abs(vectors) ** 2


def projector(a):
    basis = named("null_space")(a)
    return basis @ adjoint(basis)


SAMPLES = [
    *(
        S(linalg.solveh_banded, bands(rows, 4, lower), b, dtypes=DOUBLE, lower=lower)
        for rows, b, lower in ((3, (4, 2), False), (3, (4,), True), (2, (4,), False))
    ),
    *(
        S(
            linalg.cho_solve_banded,
            *(bands(2, 4, lower), (4,)),
            call=lambda cb, b, lower=lower: named("cho_solve_banded")((cb, lower), b),
            dtypes=DOUBLE,
        )
        for lower in (False, True)
    ),
    *(
        S(linalg.cholesky_banded, bands(3, 4, lower), lower=lower, dtypes=DOUBLE)
        for lower in (False, True)
    ),
    S(linalg.eigvals_banded, bands(3, 4, False), dtypes=DOUBLE),
    S(linalg.eig_banded, bands(2, 3, True), True, call=squared, dtypes=DOUBLE),
    S(linalg.eig_banded, bands(2, 3, False), False, call=squared),
    S(
        *(linalg.eig_banded, bands(2, 3, True), True),
        call=lambda ab, lower: squared(ab, lower, select="i", select_range=(1, 2)),
    ),
    S(
        linalg.eigvals_banded,
        bands(3, 4, False),
        select="v",
        select_range=(0.0, 3.5),
        dtypes=DOUBLE,
    ),
    S(linalg.eig_banded, bands(2, 3, True), lower=True, eigvals_only=True),
    S(linalg.null_space, (2, 4), call=projector, dtypes=DOUBLE),
    S(linalg.null_space, (2, 3), call=lambda a: np.abs(named("null_space")(a))),
]
