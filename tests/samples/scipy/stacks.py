"""Samples for ``srcgrad.rules.scipy.linalg.stacks``: of two matrices at once."""

import numpy as np
from scipy import linalg

from srcgrad.rules.libraries import replacement_of
from tests.samples import S
from tests.samples.matrices import adjoint, spread
from tests.samples.scipy.linear_equations import definite

DOUBLE = (np.float64,)


def squares(*results):
    return [np.abs(each) ** 2 for each in results]


def row(name, *draws, prepare=lambda *arrays: arrays, finish=squares, **options):
    """A function of arrays that are prepared; what does not depend on signs of it."""
    function = getattr(linalg, name)

    def call(*arrays):
        out = replacement_of(function)(*prepare(*arrays), **options)
        return finish(*out) if isinstance(out, (list, tuple)) else finish(out)[0]

    return S(function, *draws, call=call, dtypes=DOUBLE, only_real=True)


def halves(a):
    """The upper bands of symmetric matrices whose diagonals prevail."""
    inside = np.array([0.0, 0.1, 0.1, 0.1])
    return (np.stack([inside * a[..., 0, :], 3.0 + 0.1 * a[..., 1, :]], axis=-2),)


def three_bands(ab, b):
    ab = np.stack([ab[..., 0, :], 5.0 + ab[..., 1, :], ab[..., 2, :]], axis=-2)
    return (1, 1), ab, b


def products(basis):
    return [basis @ adjoint(basis)]


SAMPLES = [
    row("ldl", definite(2, 3, 3), prepare=lambda a: (0.5 * (a + adjoint(a)),)),
    row("expm_cond", (2, 2, 2)),
    row("orth", spread(2, 4, 3), finish=products),
    row("null_space", spread(2, 2, 4), finish=products),
    row("orthogonal_procrustes", (2, 4, 3), (4, 3)),
    row("subspace_angles", (2, 4, 2), (2, 4, 1)),
    row("polar", spread(2, 4, 3)),
    row("eig_banded", (2, 2, 4), prepare=halves),
    row("eigvals_banded", (2, 2, 4), prepare=halves),
    row("cholesky_banded", (2, 2, 4), prepare=halves),
    row("solve_banded", (3, 4), (2, 4, 3), prepare=three_bands),
    row("solve_banded", (2, 3, 4), (2, 4, 1), prepare=three_bands),
    row("solveh_banded", (2, 2, 4), (4,), prepare=lambda a, b: (*halves(a), b)),
    row("solveh_banded", (2, 4), (2, 4, 3), prepare=lambda a, b: (*halves(a), b)),
    row("cho_solve", definite(2, 3, 3), (3,), prepare=lambda c, b: ((c, True), b)),
    row(
        "lu_solve",
        *(definite(2, 3, 3), (3,)),
        prepare=lambda lu, b: ((lu, np.arange(3)), b),
        trans=1,
    ),
    row(
        "cho_solve_banded",
        *((2, 2, 4), (2, 4, 2)),
        prepare=lambda c, b: ((*halves(c), False), b),
    ),
    row("lstsq", spread(2, 4, 3), (4,), finish=lambda x, residues, _, s: [x, residues]),
    row("qr_multiply", spread(2, 4, 3), (2, 4)),
    row("diagsvd", (2, 3), M=3, N=4),
    row("eigh_tridiagonal", (2, 4), (2, 3)),
    row("eigvalsh_tridiagonal", (4,), (2, 3), select="i", select_range=(0, 1)),
    row("matrix_balance", spread(2, 3, 3), finish=lambda b, _: [b]),
    row("expm_frechet", (2, 3, 3), (3, 3)),
]
