"""Samples for the rules of ``srcgrad.rules.scipy.distances``."""

import numpy as np
from scipy.spatial import distance

from tests.samples import Constant, S, positive, within

DOUBLE = (np.float64,)
WEIGHTS = np.array([0.5, 1.0, 2.0])
METRIC = np.array([[2.0, 0.3, 0.0], [0.3, 1.0, 0.2], [0.0, 0.2, 1.5]])
WEIGHTED = (
    "euclidean sqeuclidean cityblock chebyshev minkowski cosine correlation canberra "
    "braycurtis"
)
TRUTHS = Constant(np.array([1.0, 0.0, 1.0])), Constant(np.array([0.0, 1.0, 1.0]))
SHARES = within(0.1, 0.9, 3)


def real(function, *specs, **options):
    """A row in double precision: SciPy takes no other, and no complex numbers."""
    return S(function, *specs, dtypes=DOUBLE, only_real=True, **options)


def named(names, *specs, **options):
    return [real(getattr(distance, name), *specs, **options) for name in names.split()]


SAMPLES = [
    *named(WEIGHTED.replace("minkowski ", ""), (3,), (3,)),
    real(distance.minkowski, (3,), (3,), p=3.0),
    *named(WEIGHTED, (3,), (3,), w=WEIGHTS),
    real(distance.correlation, (3,), (3,), centered=False),
    real(distance.minkowski, (3,), (3,), Constant(1)),
    real(distance.minkowski, (3,), (3,), Constant(np.inf)),
    real(distance.seuclidean, (3,), (3,), positive(3)),
    real(distance.mahalanobis, (3,), (3,), Constant(METRIC)),
    real(distance.jensenshannon, positive(3), positive(3)),
    *(
        real(distance.jensenshannon, positive(3, 5), positive(3, 5), **options)
        for options in ({}, {"axis": 1}, {"axis": -1, "keepdims": True, "base": 2.0})
    ),
    real(distance.jensenshannon, positive(3), positive(3), base=2),
    *(
        real(distance.cdist, (4, 3), (5, 3), metric=metric)
        for metric in ("euclidean", "cosine", "seuclidean", "chebyshev")
    ),
    real(distance.cdist, (5, 3), (4, 3), metric="mahalanobis"),
    real(distance.cdist, (4, 3), (5, 3), metric="minkowski", p=3.0),
    real(distance.cdist, (4, 3), (5, 3), metric="mahalanobis", VI=METRIC),
    *(
        real(distance.pdist, (5, 3), metric=metric)
        for metric in ("euclidean", "correlation", "seuclidean", "mahalanobis")
    ),
    real(distance.dice, SHARES, SHARES),
    *named(
        "dice rogerstanimoto russellrao sokalsneath yule", SHARES, SHARES, positive(3)
    ),
    *named("hamming jaccard", *TRUTHS, positive(3)),
    S(distance.squareform, (6,)),
    S(distance.squareform, (4, 4), checks=False),
]
