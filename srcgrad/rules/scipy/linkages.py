"""Rules for ``scipy.cluster.hierarchy``: what is read off a table of merged clusters.

Which cluster is part of which is a step; all of these are made of the heights.
"""

import numpy as np
from scipy.cluster import hierarchy

from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.registry import defconstant, defvjp


def parts_of(Z):
    """The rows of the clusters that each row of a table merges."""
    count = len(Z) + 1
    return [[int(part) - count for part in row[:2] if part >= count] for row in Z]


@dispatched
def highest_within(Z, values):
    """The row, of those of a cluster and of its parts, that has the largest value."""
    found: list[int] = []
    for row, parts in enumerate(parts_of(Z)):
        rows = [row, *(found[part] for part in parts)]
        found.append(max(rows, key=lambda each: values[each]))
    return np.array(found)


@dispatched
def levels_below(Z, d):
    """Which rows are at most so many levels below which, itself the first, as 1."""
    parts, own = parts_of(Z), np.eye(len(Z))
    found = own
    for _ in range(int(d) - 1):
        below = [own[row] + np.sum(found[rows], 0) for row, rows in enumerate(parts)]
        found = np.reshape(below, own.shape)
    return found


@dispatched
def ordered(Z, y, metric):
    """SciPy's table, with the leaves in the order that is best."""
    return hierarchy.optimal_leaf_ordering(Z, y, metric)


@dispatched
def checked(name, Z, *args):
    """The result of SciPy, which refuses what is no table."""
    return getattr(hierarchy, name)(Z, *args)


for _steps in (highest_within, levels_below, ordered, checked):
    defconstant(_steps)
    declare(_steps, raises=True)


def maxdists(Z):
    """``scipy.cluster.hierarchy.maxdists``"""
    checked("maxdists", Z)
    return Z[:, 2][highest_within(Z, Z[:, 2])]


def largest_of(Z, R, i):
    """``scipy.cluster.hierarchy.maxRstat``"""
    checked("maxRstat", Z, R, i)
    return R[:, i][highest_within(Z, R[:, i])]


def maxinconsts(Z, R):
    """``scipy.cluster.hierarchy.maxinconsts``"""
    return largest_of(Z, R, 3)


def optimal_leaf_ordering(Z, y, metric="euclidean"):
    """``scipy.cluster.hierarchy.optimal_leaf_ordering``"""
    table = ordered(Z, y, metric)
    return np.stack([table[:, 0], table[:, 1], Z[:, 2], table[:, 3]], axis=1)


def inconsistent_back(g, Z, out, d):
    """By the heights: of their mean, deviation, and how far above it each is."""
    rows = levels_below(Z, d)
    means, spread, counts, ratios = (out[:, k : k + 1] for k in range(4))
    is_flat = spread == 0.0
    spread, freedom = np.where(is_flat, 1.0, spread), np.where(is_flat, 1.0, counts - 1)
    ratio_back = np.where(is_flat, 0.0, g[:, 3:] / spread)
    spread_back = np.where(is_flat, 0.0, g[:, 1:2]) - ratio_back * ratios
    apart = (Z[:, 2] - means) / (freedom * spread)
    by_height = rows * ((g[:, :1] - ratio_back) / counts + spread_back * apart)
    heights = np.sum(by_height, axis=0) + ratio_back[:, 0]
    return heights[:, None] * np.array([0.0, 0.0, 1.0, 0.0])


defvjp(
    hierarchy.to_mlab_linkage,  # without the last column
    Z=lambda g, Z_shape: np.pad(g, [(0, 0), (0, 1)]) if len(Z_shape) == 2 else g,
)
defvjp(
    hierarchy.from_mlab_linkage,  # with another one
    Z=lambda g, Z_shape: g[:, :-1] if len(Z_shape) == 2 else g,
)
for _own in (hierarchy.to_mlab_linkage, hierarchy.from_mlab_linkage):
    declare(_own, raises=True)
defvjp(hierarchy.inconsistent, Z=inconsistent_back)
declare(hierarchy.inconsistent, raises=True)
defined_as(hierarchy.maxRstat, largest_of)
for _own in (maxdists, maxinconsts, optimal_leaf_ordering):
    defined_as(getattr(hierarchy, _own.__name__), _own)
