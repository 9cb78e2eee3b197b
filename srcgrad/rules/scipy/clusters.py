"""Rules for ``scipy.cluster``: which points belong together is a step.

The centres are means of their points, the distances between clusters are made of those
between points in SciPy's order of merging.
"""

import functools

import numpy as np
from scipy.cluster import hierarchy, vq

from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.registry import defconstant
from srcgrad.rules.scipy.distances import pdist, squareform
from srcgrad.rules.scipy.precision import doubles
from srcgrad.rules.scipy.scipy_sources import as_in_scipy
from srcgrad.rules.scipy.without import refuse


# ----- What is found, and carries no gradient -----
@dispatched
def nearest(obs, code_book):
    """The number of the nearest centre of each point."""
    return vq.vq(np.asarray(obs, float), np.asarray(code_book, float))[0]


@dispatched
def searched(function, *args, **options):
    """What an algorithm of SciPy's finds."""
    return function(*args, **options)


@dispatched
def merged(y, method, optimal_ordering):
    """SciPy's table of which clusters are merged."""
    return hierarchy.linkage(y, method, optimal_ordering=optimal_ordering)


@dispatched
def merged_at(Z):
    """For each pair of points the row of the table in which they come together."""
    table = np.array(Z, float)
    table[:, 2] = np.arange(len(table))
    return hierarchy.cophenet(table).astype(int)


for _steps in (nearest, merged, merged_at):
    defconstant(_steps)
    declare(_steps, raises=True)
defconstant(searched)
declare(searched, effect="acts", raises=True)  # it may draw random numbers


# ----- Centres -----
def distances(obs, code_book, labels):
    apart = obs - code_book[labels]
    squares = apart * apart if np.ndim(obs) == 1 else np.sum(apart * apart, axis=1)
    return np.sqrt(squares)


def quantized(obs, code_book, check_finite=True):
    """``scipy.cluster.vq.vq``"""
    labels = nearest(obs, code_book)
    return labels, distances(obs, code_book, labels)


def means_of(obs, labels, count):
    """The mean of the points of each number."""
    members = np.equal(labels, np.arange(count)[:, None]) * 1.0
    return (members / np.sum(members, axis=1, keepdims=True)) @ obs


def kmeans(obs, k_or_guess, *args, **options):
    """``scipy.cluster.vq.kmeans``, of centres that stay where they are."""
    code_book, distortion = searched(vq.kmeans, obs, k_or_guess, *args, **options)
    labels = nearest(obs, code_book)
    found = means_of(obs, labels, np.shape(code_book)[0])
    mean = np.mean(distances(obs, found, labels))
    if not (np.allclose(found, code_book) and np.allclose(mean, distortion)):
        refuse("kmeans that ends before its centres stay", "use a smaller `thresh`")
    return found, mean


def kmeans2(data, k, *args, **options):
    """``scipy.cluster.vq.kmeans2``"""
    code_book, labels = searched(vq.kmeans2, data, k, *args, **options)
    count = np.shape(code_book)[0]
    if len(np.unique(labels)) < count:
        refuse("kmeans2 with a centre that has no points", "use fewer centres")
    return means_of(data, labels, count), labels


# ----- Hierarchies -----
# The distance of a cluster of n points to one merged of i and j points, by those to
# these two and between them: by their squares in the last three.
MERGING = {
    "single": lambda a, b, ab, i, j, n: np.minimum(a, b),
    "complete": lambda a, b, ab, i, j, n: np.maximum(a, b),
    "average": lambda a, b, ab, i, j, n: (i * a + j * b) / (i + j),
    "weighted": lambda a, b, ab, i, j, n: 0.5 * (a + b),
    "centroid": lambda a, b, ab, i, j, n: (
        (i * a + j * b) / (i + j) - i * j * ab / (i + j) ** 2
    ),
    "median": lambda a, b, ab, i, j, n: 0.5 * (a + b) - 0.25 * ab,
    "ward": lambda a, b, ab, i, j, n: (
        ((n + i) * a + (n + j) * b - n * ab) / (n + i + j)
    ),
}
OF_SQUARES = ("centroid", "median", "ward")


def linkage(y, method="single", metric="euclidean", optimal_ordering=False):
    """``scipy.cluster.hierarchy.linkage``"""
    y = doubles(y)
    if np.ndim(y) == 2:
        if method in OF_SQUARES and metric != "euclidean":
            raise ValueError(
                f"`method={method}` requires the distance metric to be Euclidean"
            )
        y = pdist(y, metric)
    table = merged(y, method, optimal_ordering)
    order = [[int(table[row, k]) for k in (0, 1)] for row in range(table.shape[0])]
    heights = heights_of(squareform(y), order, method)
    return np.stack([table[:, 0], table[:, 1], heights, table[:, 3]], axis=1)


def heights_of(apart, order, method):
    """At which distance clusters are merged, in the order that is given."""
    apart = apart * apart if method in OF_SQUARES else apart
    count = np.shape(apart)[0]
    sizes, places, heights = [1.0] * count, list(range(count)), []
    for first, second in order:
        i, j = places[first], places[second]
        heights.append(apart[i, j])
        sizes.append(sizes[first] + sizes[second])
        places[first] = places[second] = -1
        others = [cluster for cluster, place in enumerate(places) if place >= 0]
        rows = np.array([places[cluster] for cluster in others], int)
        counts = np.array([sizes[cluster] for cluster in others])
        parts = apart[rows, i], apart[rows, j], heights[-1]
        found = MERGING[method](*parts, sizes[first], sizes[second], counts)
        apart[rows, j] = apart[j, rows] = found
        places.append(j)
    heights = np.stack(heights)
    return np.sqrt(heights) if method in OF_SQUARES else heights


def cophenet(Z, Y=None):
    """``scipy.cluster.hierarchy.cophenet``"""
    found = Z[:, 2][merged_at(Z)]
    if Y is None:
        return found
    theirs, ours = Y - np.mean(Y), found - np.mean(found)
    squares = np.sum(theirs**2) * np.sum(ours**2)
    return np.sum(theirs * ours) / np.sqrt(squares), found


defined_as(vq.vq, quantized)
if hasattr(vq, "py_vq"):  # the same, written in Python
    defined_as(vq.py_vq, quantized)
as_in_scipy(vq, "whiten")
for _own in (kmeans, kmeans2):
    defined_as(getattr(vq, _own.__name__), _own)
for _own in (linkage, cophenet):
    defined_as(getattr(hierarchy, _own.__name__), _own)
for _method in MERGING:
    _own = functools.partial(linkage, method=_method)
    defined_as(getattr(hierarchy, _method), _own)
