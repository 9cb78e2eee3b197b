"""Rules for ``scipy.stats``: the distance between samples of points in space.

It is the least cost of moving one sample onto the other, a linear program. Its solution
moves something along the edges of a tree; as long as that is the tree, how much is a
linear function of how much there is of each point.
"""

import numpy as np
from scipy import optimize, sparse, stats

from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.libraries import reaching
from srcgrad.rules.registry import defconstant
from srcgrad.rules.scipy.precision import doubles
from srcgrad.valued import valued


def tree_of(edges, size):
    """The first of the edges that close no circle."""
    root = list(range(size))
    for edge in edges:
        first, second = (root[end] for end in edge)
        if first != second:
            root = [second if each == first else each for each in root]
            yield edge


@dispatched
def solved(costs, have, want):
    """The tree's edges, the matrix that gives what moves along them; the least cost."""
    m, n = np.shape(costs)
    rows = sparse.kron(sparse.eye_array(m), np.ones((1, n)))
    columns = sparse.kron(np.ones((1, m)), sparse.eye_array(n))
    found = optimize.linprog(
        np.ravel(costs),
        A_eq=sparse.vstack([rows, columns]).tocsr()[:-1],  # the last says nothing new
        b_eq=np.concatenate([have, want])[:-1],
        method="highs",
    )
    prices = np.append(found.eqlin.marginals, 0.0)
    excess = np.ravel(costs - prices[:m, None] - prices[m:])
    order = np.lexsort((excess, -found.x))
    from_where, to_where = np.unravel_index(order, (m, n))
    ends = np.stack([from_where, to_where + m], axis=1)
    ends = np.array(list(tree_of(ends.tolist(), m + n)))
    incidence = np.zeros((m + n, len(ends)))
    incidence[ends, np.arange(len(ends))[:, None]] = 1.0
    return ends[:, 0], ends[:, 1] - m, np.linalg.pinv(incidence), found.fun


defconstant(solved)
declare(solved, raises=True)


def share_of(weights, n):
    return (
        np.full(n, 1.0 / n)
        if weights is None
        else doubles(weights) / np.sum(doubles(weights))
    )


def wasserstein_distance_nd(u_values, v_values, u_weights=None, v_weights=None):
    if np.ndim(u_values) == np.ndim(v_values) == 1:
        return reaching(stats.wasserstein_distance)(
            u_values, v_values, u_weights, v_weights
        )
    if not np.ndim(u_values) == np.ndim(v_values) == 2:
        raise ValueError("The inputs must have one dimension or two, the same.")
    apart = doubles(u_values)[:, None] - doubles(v_values)
    costs = np.linalg.norm(apart, axis=-1)
    have, want = (
        share_of(weights, len(values))
        for weights, values in ((u_weights, u_values), (v_weights, v_values))
    )
    first, second, shares, least = solved(costs, have, want)
    moved = shares @ np.concatenate([have, want])
    return valued(np.sum(moved * costs[first, second]), least)


defined_as(stats.wasserstein_distance_nd, wasserstein_distance_nd)
