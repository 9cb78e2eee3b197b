"""Samples for the rules of ``srcgrad.rules.scipy.linkages``."""

from scipy.cluster import hierarchy

from srcgrad.rules.libraries import replacement_of
from tests.samples.scipy.filters import of


def of_heights(function, *args):
    """What is read off the table of a hierarchy, whose heights may fall."""

    def call(y):
        Z = replacement_of(hierarchy.linkage)(y, "centroid")
        return replacement_of(function)(
            Z, *(y if each == "y" else each for each in args)
        )

    return of(function, (6, 2), call=call, id=f"{function.__name__}-{args}")


def of_inconsistencies(function, *args):
    def call(y):
        Z = replacement_of(hierarchy.linkage)(y, "average")
        R = replacement_of(hierarchy.inconsistent)(Z, 3)
        return replacement_of(function)(Z, R, *args)

    return of(function, (6, 2), call=call)


def there_and_back(y):
    Z = replacement_of(hierarchy.linkage)(y, "average")
    for function in (hierarchy.to_mlab_linkage, hierarchy.from_mlab_linkage):
        Z = replacement_of(function)(Z)
    return Z


SAMPLES = [
    *(of_heights(hierarchy.inconsistent, d) for d in (0, 2, 4)),
    of_heights(hierarchy.maxdists),
    of_heights(hierarchy.to_mlab_linkage),
    of(hierarchy.from_mlab_linkage, (6, 2), call=there_and_back),
    of_heights(hierarchy.optimal_leaf_ordering, "y"),
    of_inconsistencies(hierarchy.maxinconsts),
    of_inconsistencies(hierarchy.maxRstat, 1),
]
