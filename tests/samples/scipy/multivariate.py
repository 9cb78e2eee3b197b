"""Samples for the rules of ``srcgrad.rules.scipy.stats.multivariate``."""

import numpy as np
from scipy import stats

from srcgrad.rules.libraries import replacement_of
from tests.samples import Constant, S, positive
from tests.samples.scipy.linear_equations import definite

DOUBLE = (np.float64,)
COUNTS = np.array([[1, 2, 0], [3, 0, 0]])


def of(kind, name, *specs, wrap=lambda args: args):
    """A method, with arguments made of the drawn arrays."""

    def call(*args):
        return replacement_of(getattr(kind, name))(*wrap(args))

    return S(
        getattr(type(kind), name), *specs, call=call, dtypes=DOUBLE, only_real=True
    )


def symmetrised(args):
    *others, cov = args
    return [*others, 0.5 * (cov + cov.T)]


def shares(args):
    x, *others = args
    return [x / np.sum(x, axis=0), *others]


def probabilities(args):
    k, n, p = args
    return k, n, p / np.sum(p)


def flat(args):
    """In a plane, as a covariance without a third direction wants it."""
    x, mean, *others = args
    return [x * np.array([1.0, 1.0, 0.0]), mean * np.array([1.0, 1.0, 0.0]), *others]


DIAGONAL = np.diag([1.0, 2.0, 0.0])
PRECISION = stats.Covariance.from_precision(np.array([[2.0, 0.5], [0.5, 1.0]]))

SAMPLES = [
    of(
        stats.multivariate_normal,
        "logpdf",
        *((4, 3), (3,), definite(3, 3)),
        wrap=symmetrised,
    ),
    of(stats.multivariate_normal, "logpdf", (3,), (3,), positive(3)),
    of(stats.multivariate_normal, "logpdf", (4,), (), positive()),
    of(
        stats.multivariate_normal,
        "logpdf",
        *((4, 3), (3,), Constant(DIAGONAL), Constant(True)),
        wrap=flat,
    ),
    of(
        stats.multivariate_normal,
        "logpdf",
        *((4, 2), (2,)),
        wrap=lambda args: [*args, PRECISION],
    ),
    of(stats.multivariate_normal, "pdf", (4,), Constant(None), positive()),
    of(stats.dirichlet, "logpdf", positive(3), positive(3), wrap=shares),
    of(stats.dirichlet, "pdf", positive(3, 4), positive(3), wrap=shares),
    of(
        stats.multinomial,
        "logpmf",
        *(Constant(COUNTS), Constant(3), positive(3)),
        wrap=probabilities,
    ),
    of(
        stats.multinomial,
        "pmf",
        *(Constant(COUNTS[0]), Constant(3), positive(3)),
        wrap=probabilities,
    ),
]
