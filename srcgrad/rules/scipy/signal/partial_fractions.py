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
from srcgrad.rules.scipy.scipy_sources import as_in_scipy, on_variables
from srcgrad.rules.scipy.without import refuse

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
    found = groups_of(p, tol)
    groups = [int(group) for group in found]
    count = max(groups, default=-1) + 1
    members = [[i for i, own in enumerate(groups) if own == k] for k in range(count)]
    roots = [one_of(p[own], rtype) for own in members]
    return np.stack(roots), np.bincount(found)


defined_as(signal.unique_roots, unique_roots)
as_in_scipy(signal, "invres invresz")


def of_single_poles(function):
    """``residue`` or ``residuez``"""
    run = on_variables(function)

    def residues(b, a, tol=1e-3, rtype="avg"):
        found = run(b, a, tol, rtype)
        is_twice = np.any(found[1][1:] == found[1][:-1])
        if getattr(a, "requires_grad", False) and is_twice:
            refuse(
                "residues of poles that count several times", "only by the numerator"
            )
        return found

    return residues


for _function in (signal.residue, signal.residuez):
    defined_as(_function, of_single_poles(_function))
