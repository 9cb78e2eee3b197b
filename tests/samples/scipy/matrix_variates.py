"""Samples for the rules of ``srcgrad.rules.scipy.stats.matrix_variates``."""

import numpy as np
from scipy import stats

from tests.samples import Constant, positive, within
from tests.samples.scipy.linear_equations import definite
from tests.samples.scipy.multivariate import COUNTS
from tests.samples.scipy.multivariate import of as made

DEGREES = within(3.0, 6.0)
SQUARE = definite(2, 2)
UNIT = np.array([[0.0, 1.0], [1.0, 0.0]])


def prepared(args):
    """Symmetric squares, plain numbers, no complex ones: as SciPy wants them."""
    args = [np.real(a) if np.iscomplexobj(a) else a for a in args]
    args = [0.5 * (a + a.T) if np.shape(a) == (2, 2) else a for a in args]
    is_number = [isinstance(a, np.ndarray) and a.ndim == 0 for a in args]
    return [a[()] if plain else a for a, plain in zip(args, is_number, strict=True)]


def of(kind, name, *specs):
    return made(kind, name, *specs, wrap=prepared)


SAMPLES = [
    of(stats.wishart, "logpdf", SQUARE, DEGREES, SQUARE),
    of(stats.wishart, "pdf", positive(3), DEGREES, positive()),
    of(stats.invwishart, "logpdf", SQUARE, DEGREES, SQUARE),
    of(stats.invwishart, "pdf", positive(2), DEGREES, positive(2)),
    of(
        stats.matrix_normal,
        "logpdf",
        *((3, 2), (3, 2), positive(3), SQUARE),
    ),
    of(stats.matrix_normal, "pdf", (2, 3, 2), (3, 2), positive(), positive()),
    of(
        stats.matrix_t,
        "logpdf",
        *((3, 2), (3, 2), positive(3), SQUARE, DEGREES),
    ),
    of(stats.matrix_t, "pdf", (2, 3, 2), (3, 2), positive(), positive(), DEGREES),
    of(
        stats.multivariate_t,
        "logpdf",
        *((4, 2), (2,), SQUARE, DEGREES),
    ),
    of(stats.multivariate_t, "pdf", (3,), Constant(None), positive(), DEGREES),
    of(
        stats.dirichlet_multinomial,
        "logpmf",
        *(Constant(COUNTS), positive(3), Constant(3)),
    ),
    of(
        stats.dirichlet_multinomial,
        "pmf",
        *(Constant(COUNTS), positive(3), Constant(3)),
    ),
    of(
        stats.dirichlet_multinomial,
        "logpmf",
        *(Constant(COUNTS), positive(1), Constant(3)),
    ),
    # Of unit vectors no difference by an element can be taken.
    of(stats.vonmises_fisher, "logpdf", Constant(UNIT), Constant(UNIT[0]), DEGREES),
    of(stats.vonmises_fisher, "pdf", Constant(UNIT), Constant(UNIT[0]), DEGREES),
    of(
        stats.normal_inverse_gamma,
        "logpdf",
        *((3,), positive(3), (3,), positive()),
    ),
    of(
        stats.normal_inverse_gamma,
        "pdf",
        *((3,), positive(3), 0.2, 1.1, positive(), positive()),
    ),
]
