"""Samples for the rules of ``srcgrad.rules.scipy.stats.multivariate_moments``."""

import numpy as np
from scipy import stats

from tests.samples import Constant, positive
from tests.samples.scipy.matrix_variates import DEGREES, SQUARE, of
from tests.samples.scipy.multivariate import of as made
from tests.samples.scipy.multivariate import probabilities

COUNT = Constant(np.array(3))


def of_shares(name):
    return made(stats.multinomial, name, COUNT, positive(3), wrap=in_order)


def in_order(args):
    n, p = args
    return probabilities([None, n, p])[1:]


SAMPLES = [
    of(stats.multivariate_normal, "entropy", Constant(None), SQUARE),
    of(stats.multivariate_normal, "entropy", (3,), positive()),
    of(stats.multivariate_t, "entropy", Constant(None), SQUARE, DEGREES),
    of(stats.multivariate_t, "entropy", Constant(None), SQUARE, Constant(900.0)),
    of(stats.matrix_normal, "entropy", SQUARE, positive(3)),
    *(of(stats.dirichlet, name, positive(3)) for name in ("mean", "var", "cov")),
    of(stats.dirichlet, "entropy", positive(3)),
    *(of_shares(name) for name in ("mean", "cov", "entropy")),
    *(
        of(stats.dirichlet_multinomial, name, positive(2, 3), COUNT)
        for name in ("mean", "var", "cov")
    ),
    *(
        of(kind, name, degrees, SQUARE)
        for kind, degrees in (
            (stats.wishart, DEGREES),
            (stats.invwishart, Constant(6.5)),
        )
        for name in ("mean", "mode", "var", "entropy")
    ),
    of(stats.invwishart, "mean", DEGREES, positive(1)),
    of(stats.vonmises_fisher, "entropy", Constant(np.array([0.6, 0.8])), DEGREES),
    *(
        of(stats.normal_inverse_gamma, name, (3,), positive(), DEGREES, positive(3))
        for name in ("mean", "var")
    ),
]
