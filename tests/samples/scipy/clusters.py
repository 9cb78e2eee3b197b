"""Samples for the rules of ``srcgrad.rules.scipy.clusters``."""

import numpy as np
from scipy.cluster import hierarchy, vq

from srcgrad.rules.libraries import replacement_of
from srcgrad.rules.scipy.clusters import MERGING
from tests.samples import Constant, Made, positive
from tests.samples.scipy.filters import of

# Two heaps of points, far from each other.
HEAPS = np.array([[0.1, 0.2], [0.3, -0.1], [4.0, 5.0], [4.2, 4.7], [0.2, 0.5]])
POINTS = Made(lambda rng, dtype: (HEAPS + rng.uniform(size=(5, 2)) / 50).astype(dtype))
CENTRES = Made(lambda rng, dtype: np.array([[0.1, 0.3], [4.0, 4.5]], dtype), (2, 2))
GUESS = Constant(np.array([[0.0, 0.0], [5.0, 5.0]]))


def floats(function, *specs, name="", **options):
    """What is no number of a cluster."""

    def call(*args):
        found = replacement_of(function)(*args, **options)
        return [each for each in found if each.dtype.kind == "f"]

    return of(function, *specs, call=call, id=name or function.__name__)


def heights(function, spec, **options):
    def call(y):
        return replacement_of(function)(y, **options)

    name = f"{function.__name__}-{options}"
    return of(function, spec, call=call, id=name)


def of_table(*args):
    Z = replacement_of(hierarchy.linkage)(args[0], "average")
    return replacement_of(hierarchy.cophenet)(Z, *args[1:])


SAMPLES = [
    of(vq.whiten, (4, 2)),
    floats(vq.vq, POINTS, CENTRES),
    floats(vq.vq, (5,), (2,), name="line"),
    floats(vq.py_vq, POINTS, CENTRES),
    of(vq.kmeans, POINTS, GUESS),
    floats(vq.kmeans2, POINTS, GUESS, minit="matrix"),
    *(heights(hierarchy.linkage, (5, 2), method=method) for method in MERGING),
    *(heights(getattr(hierarchy, name), positive(10)) for name in MERGING),
    heights(hierarchy.linkage, (4, 2), metric="cityblock", optimal_ordering=True),
    of(hierarchy.cophenet, (5, 2), call=of_table),
    of(hierarchy.cophenet, (5, 2), positive(10), call=of_table),
]
