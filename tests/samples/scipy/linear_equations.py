"""Samples for the rules of ``srcgrad.rules.scipy.linalg.linear_equations``."""

import functools

import numpy as np
from scipy import linalg

from srcgrad.rules.libraries import replacement_of
from tests.samples import COMPLEX, REAL, Constant, Draw, Made, S
from tests.samples.matrices import adjoint, well_conditioned

DOUBLE = (np.float64, np.complex128)


def definite(*shape):
    """Hermitian matrices with eigenvalues that are positive, and not all the same."""

    def build(rng, dtype):
        x = Draw(shape)(rng, dtype)
        diagonal = np.diag(np.arange(2.0, 2.0 + shape[-1]))
        return (x @ adjoint(x) + diagonal).astype(dtype)

    return Made(build, shape)


def stable(*shape):
    """Matrices with eigenvalues inside the unit circle."""

    def build(rng, dtype):
        return (Draw(shape, -0.4, 0.4)(rng, dtype)).astype(dtype)

    return Made(build, shape)


def symmetric(function, **kwargs):
    """The function of the symmetric part, since it reads one triangle."""

    def call(a, *args):
        return function(0.5 * (a + adjoint(a)), *args, **kwargs)

    return call


def from_lu(a, b, trans=0):
    return lu_solve(lu_factor(a), b, trans)


def from_cholesky(a, b, lower=False):
    return cho_solve(cho_factor(0.5 * (a + adjoint(a)), lower), b)


def riccati(a, b, q, r):
    return are(a, b, 0.5 * (q + adjoint(q)), 0.5 * (r + adjoint(r)))


def riccati_in_steps(a, b, q, r):
    return dare(a, b, 0.5 * (q + adjoint(q)), 0.5 * (r + adjoint(r)))


def replaced(name):
    """The function, as it is called with bare Variables."""
    return lambda *args, **kwargs: replacement_of(getattr(linalg, name))(
        *args, **kwargs
    )


lu_solve, lu_factor = map(replaced, ["lu_solve", "lu_factor"])
are, dare = map(replaced, ["solve_continuous_are", "solve_discrete_are"])
cho_solve, cho_factor = map(replaced, ["cho_solve", "cho_factor"])
inv, solve, pinvh = map(replaced, ["inv", "solve", "pinvh"])

SQUARE = well_conditioned(3, 3)


def bands(rng, dtype):
    x = Draw((4, 5))(rng, dtype)
    x[1] += 6.0
    return x


BANDED = Made(bands, (4, 5))


def kinds(function):
    """Each kind of a matrix that is symmetric, by both triangles."""
    for kind in ("pos", "sym", "her"):
        dtypes = (np.float64,) if kind == "sym" else DOUBLE
        for lower in (False, True):
            call = symmetric(function, assume_a=kind, lower=lower)
            # A Hermitian matrix is not symmetric.
            yield kind, {"call": call, "dtypes": dtypes, "only_real": kind == "sym"}


double = functools.partial(S, dtypes=DOUBLE)
real = functools.partial(S, only_real=True)
STACK, UPPER, LOWER = well_conditioned(2, 3, 3), "upper triangular", "lower triangular"

SAMPLES = [
    S(linalg.inv, SQUARE, dtypes=COMPLEX, only_native=True),
    S(linalg.inv, STACK, only_native=True),
    S(linalg.inv, SQUARE, assume_a=UPPER, only_native=True),
    S(linalg.inv, SQUARE, assume_a=LOWER, only_native=True),
    *(
        S(linalg.inv, definite(3, 3), **(given | {"dtypes": REAL}))
        for kind, given in kinds(inv)
        if kind != "her"
    ),
    double(linalg.inv, definite(3, 3), call=symmetric(inv, assume_a="her")),
    S(linalg.det, SQUARE, dtypes=COMPLEX),
    S(linalg.det, STACK),
    double(linalg.pinv, well_conditioned(4, 3), tolerance=1e-3),
    S(linalg.pinv, well_conditioned(2, 3, 4)),
    double(linalg.pinvh, definite(3, 3), call=symmetric(pinvh)),
    S(linalg.solve, SQUARE, (3,), dtypes=COMPLEX),
    S(linalg.solve, SQUARE, (3, 2), dtypes=COMPLEX),
    S(linalg.solve, STACK, (3,)),
    S(linalg.solve, STACK, (2, 3, 2)),
    real(linalg.solve, SQUARE, (3,), transposed=True),
    real(linalg.solve, SQUARE, (3, 2), transposed=True),
    *(
        S(linalg.solve, SQUARE, (3,), assume_a=kind)
        for kind in ("gen", "diagonal", "tridiagonal", "banded", LOWER)
    ),
    real(linalg.solve, SQUARE, (3,), assume_a=UPPER, transposed=True),
    *(S(linalg.solve, definite(3, 3), (3, 2), **given) for _, given in kinds(solve)),
    *(
        double(linalg.solve_triangular, SQUARE, (3, 2), trans=trans, lower=lower)
        for trans in (0, "T", "C")
        for lower in (False, True)
    ),
    S(linalg.solve_triangular, SQUARE, (3,), unit_diagonal=True),
    S(linalg.solve_triangular, SQUARE, (3,), trans=1, lower=True, unit_diagonal=True),
    S(linalg.solve_triangular, STACK, (2, 3, 2)),
    *(
        double(
            *(linalg.cho_solve, definite(3, 3), (3, 2)),
            call=lambda a, b, lower=lower: from_cholesky(a, b, lower),
            id=f"cho_solve-{lower}",
        )
        for lower in (False, True)
    ),
    *(
        double(
            *(linalg.lu_solve, Draw((3, 3)), shape),
            call=lambda a, b, trans=trans: from_lu(a, b, trans),
            id=f"lu_solve-{trans}",
        )
        for trans in (0, 1, 2)
        for shape in ((3,), (3, 2))
    ),
    double(linalg.lstsq, well_conditioned(4, 3), (4,)),
    S(linalg.lstsq, well_conditioned(4, 3), (4, 2)),
    S(linalg.lstsq, well_conditioned(3, 4), (3,)),
    double(linalg.solve_banded, Constant((2, 1)), BANDED, (5,)),
    S(linalg.solve_banded, Constant((2, 1)), BANDED, (5, 2)),
    double(linalg.solve_sylvester, SQUARE, well_conditioned(2, 2), (3, 2)),
    double(linalg.solve_continuous_lyapunov, SQUARE, (3, 3)),
    double(linalg.solve_discrete_lyapunov, stable(3, 3), (3, 3)),
    *(
        double(function, (3, 3), (3, 2), definite(3, 3), definite(2, 2), call=call)
        for function, call in (
            (linalg.solve_continuous_are, riccati),
            (linalg.solve_discrete_are, riccati_in_steps),
        )
    ),
]
