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
).split()
TRUTHS = Constant(np.array([1.0, 0.0, 1.0])), Constant(np.array([0.0, 1.0, 1.0]))
OPTIONS = {"minkowski": {"p": 3.0}}

SAMPLES = [
    *(
        S(
            getattr(distance, name),
            (3,),
            (3,),
            dtypes=DOUBLE,
            only_real=True,
            **OPTIONS.get(name, {}),
        )
        for name in WEIGHTED
    ),
    *(
        S(getattr(distance, name), (3,), (3,), w=WEIGHTS, dtypes=DOUBLE, only_real=True)
        for name in WEIGHTED
    ),
    S(distance.correlation, (3,), (3,), centered=False, dtypes=DOUBLE, only_real=True),
    S(distance.minkowski, (3,), (3,), Constant(1), dtypes=DOUBLE, only_real=True),
    S(distance.minkowski, (3,), (3,), Constant(np.inf), dtypes=DOUBLE, only_real=True),
    S(distance.seuclidean, (3,), (3,), positive(3), dtypes=DOUBLE, only_real=True),
    S(
        distance.mahalanobis,
        (3,),
        (3,),
        Constant(METRIC),
        dtypes=DOUBLE,
        only_real=True,
    ),
    S(distance.jensenshannon, positive(3), positive(3), dtypes=DOUBLE, only_real=True),
    *(
        S(
            distance.jensenshannon,
            positive(3, 5),
            positive(3, 5),
            **options,
            dtypes=DOUBLE,
            only_real=True,
        )
        for options in ({}, {"axis": 1}, {"axis": -1, "keepdims": True, "base": 2.0})
    ),
    S(
        distance.jensenshannon,
        positive(3),
        positive(3),
        base=2,
        dtypes=DOUBLE,
        only_real=True,
    ),
    *(
        S(distance.cdist, (4, 3), (5, 3), metric=metric, dtypes=DOUBLE, only_real=True)
        for metric in ("euclidean", "cosine", "seuclidean", "chebyshev")
    ),
    S(
        distance.cdist,
        (5, 3),
        (4, 3),
        metric="mahalanobis",
        dtypes=DOUBLE,
        only_real=True,
    ),
    S(
        distance.cdist,
        (4, 3),
        (5, 3),
        metric="minkowski",
        p=3.0,
        dtypes=DOUBLE,
        only_real=True,
    ),
    S(
        distance.cdist,
        (4, 3),
        (5, 3),
        metric="mahalanobis",
        VI=METRIC,
        dtypes=DOUBLE,
        only_real=True,
    ),
    *(
        S(distance.pdist, (5, 3), metric=metric, dtypes=DOUBLE, only_real=True)
        for metric in ("euclidean", "correlation", "seuclidean", "mahalanobis")
    ),
    S(
        distance.dice,
        *(within(0.1, 0.9, 3), within(0.1, 0.9, 3)),
        dtypes=DOUBLE,
        only_real=True,
    ),
    *(
        S(
            getattr(distance, name),
            *(within(0.1, 0.9, 3), within(0.1, 0.9, 3), positive(3)),
            dtypes=DOUBLE,
            only_real=True,
        )
        for name in "dice rogerstanimoto russellrao sokalsneath yule".split()
    ),
    *(
        S(function, *TRUTHS, positive(3), dtypes=DOUBLE, only_real=True)
        for function in (distance.hamming, distance.jaccard)
    ),
    S(distance.squareform, (6,)),
    S(distance.squareform, (4, 4), checks=False),
]
