"""Rules for ``scipy.signal``: quotients of polynomials as sums over poles, and back.

Which poles count as one is a step. By the coefficients, a pole that counts several
times has no derivative: each change takes it apart.
"""

import numpy as np
from scipy import signal, spatial

from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.registry import defconstant
from srcgrad.rules.scipy.scipy_sources import as_in_scipy

MEANS = {"avg": "mean", "maximum": "max", "minimum": "min"}


@dispatched
def groups_of(p, tol):
    """The number of the group that each root belongs to."""
    groups = np.full(len(p), -1)
    tree = spatial.cKDTree(np.stack([np.real(p), np.imag(p)], axis=1))
    for i in range(len(p)):
        if groups[i] < 0:
            near = np.array(tree.query_ball_point(tree.data[i], tol))
            groups[near[groups[near] < 0]] = np.max(groups) + 1
    return groups


defconstant(groups_of)
declare(groups_of, raises=True)


def one_of(roots, rtype):
    kind = MEANS.get(rtype, rtype)
    if kind == "mean":
        return np.mean(roots)
    if kind not in ("max", "min"):
        raise ValueError(
            "`rtype` must be one of {'max', 'maximum', 'min', 'minimum', 'avg', 'mean'}"
        )
    return roots[int(np.argmax(roots) if kind == "max" else np.argmin(roots))]


def unique_roots(p, tol=1e-3, rtype="min"):
    """``scipy.signal.unique_roots``"""
    groups = [int(group) for group in groups_of(p, tol)]
    count = max(groups, default=-1) + 1
    members = [[i for i, own in enumerate(groups) if own == k] for k in range(count)]
    roots = [one_of(p[own], rtype) for own in members]
    return np.stack(roots), np.array([len(own) for own in members])


defined_as(signal.unique_roots, unique_roots)
as_in_scipy(signal, "residue residuez invres invresz")
