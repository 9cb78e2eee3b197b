"""Rules for ``scipy.signal``: quotients of polynomials as sums over poles, and back.

Which poles count as one is a step. By the coefficients, a pole that counts several
times has no derivative: each change takes it apart.
"""

from typing import Any

import numpy as np
from scipy import signal, spatial

from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.registry import defconstant
from srcgrad.rules.scipy.precision import doubles
from srcgrad.rules.scipy.without import refuse

MEANS = {"avg": "mean", "maximum": "max", "minimum": "min"}


# ----- Poles that count as one -----
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


@dispatched
def runs_of(p, tol):
    """The number of the run of equal roots, one after the other, that each is in."""
    groups = np.zeros(len(p), int)
    first = p[0]
    for i in range(1, len(p)):
        is_new = not np.abs(p[i] - first) <= tol
        first = p[i] if is_new else first
        groups[i] = groups[i - 1] + is_new
    return groups


for _steps in (groups_of, runs_of):
    defconstant(_steps)
    declare(_steps, raises=True)


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


# ----- From polynomials -----
def trimmed(c, end):
    return np.trim_zeros(np.atleast_1d(doubles(c)), end)


def factors_of(roots, counts, with_powers=False):
    """The denominator without each pole (without some of its powers), and the whole."""
    factors: list[Any] = []
    whole = np.ones(1)
    for k, count in enumerate(counts):
        others = np.ones(1)
        for other, times in zip(roots[k + 1 :], counts[k + 1 :], strict=True):
            others = times_root(others, other, times)
        block = []
        for i in range(count):
            if i == 0 or with_powers:
                block.append(np.convolve(whole, others))
            whole = times_root(whole, roots[k], 1)
        factors.extend(reversed(block))
    return factors, whole


def times_root(polynomial, root, times):
    for _ in range(times):
        longer = np.concatenate([polynomial, np.zeros(1)])
        polynomial = longer - root * np.concatenate([np.zeros(1), polynomial])
    return polynomial


def residues_of(poles, counts, numerator):
    residues = []
    factors = factors_of(poles, counts)[0]
    for k, (count, factor) in enumerate(zip(counts, factors, strict=True)):
        if count == 1:
            residues.append(
                np.polyval(numerator, poles[k]) / np.polyval(factor, poles[k])
            )
        else:
            residues.extend(of_powers(numerator, poles[k], count, factor))
    return np.stack(residues)


def of_powers(numerator, pole, count, factor):
    """The residues of a pole that counts several times."""
    monomial, block = np.stack([np.ones_like(pole), -pole]), []
    factor, at_pole = np.polydiv(factor, monomial)
    for _ in range(count):
        numerator, rest = np.polydiv(numerator, monomial)
        block.append(rest[0] / at_pole[0])
        numerator = np.polysub(numerator, block[-1] * factor)
    return reversed(block)


def poles_in_order(a, tol, rtype):
    poles, counts = unique_roots(np.roots(a), tol, rtype)
    if np.any(counts > 1) and getattr(a, "requires_grad", False):
        refuse("residues of poles that count several times", "only by the numerator")
    order = [int(place) for place in np.argsort(np.abs(poles))]
    return poles[np.array(order)], [int(counts[place]) for place in order]


def residue(b, a, tol=1e-3, rtype="avg"):
    """``scipy.signal.residue``"""
    b, a = trimmed(b, "f"), trimmed(a, "f")
    check_denominator(a)
    if np.size(b) == 0:
        return signal.residue([], a, tol, rtype)
    k, b = np.polydiv(b, a) if np.size(b) >= np.size(a) else (np.empty(0), b)
    poles, counts = poles_in_order(a, tol, rtype)
    residues = residues_of(poles, counts, b)
    return residues / a[0], poles[np.repeat(np.arange(len(counts)), counts)], k


def residuez(b, a, tol=1e-3, rtype="avg"):
    """``scipy.signal.residuez``"""
    b, a = trimmed(b, "b"), trimmed(a, "b")
    check_denominator(a)
    if a[0] == 0:
        raise ValueError("First coefficient of determinant `a` must be non-zero.")
    if np.size(b) == 0:
        return signal.residuez([], a, tol, rtype)
    b = b[::-1]
    k, b = np.polydiv(b, a[::-1]) if np.size(b) >= np.size(a) else (np.empty(0), b)
    poles, counts = poles_in_order(a, tol, rtype)
    residues = residues_of(1.0 / poles, counts, b)
    poles = poles[np.repeat(np.arange(len(counts)), counts)]
    powers = np.concatenate([1.0 + np.arange(count) for count in counts])
    return residues * (-poles) ** powers / a[-1], poles, k[::-1]


def check_denominator(a):
    if np.size(a) == 0:
        raise ValueError("Denominator `a` is zero.")


# ----- Back to polynomials -----
def parts_of(r, p, k, tol, rtype, end):
    r, p = np.atleast_1d(r), np.atleast_1d(p)
    one_of(p, rtype)  # SciPy's error; what it takes of a run is the first
    groups = [int(group) for group in runs_of(p, tol)]
    firsts = [i for i in range(len(groups)) if i == 0 or groups[i] != groups[i - 1]]
    counts = [groups.count(groups[i]) for i in firsts]
    factors, denominator = factors_of(p[np.array(firsts)], counts, with_powers=True)
    return r, np.trim_zeros(np.atleast_1d(k), end), factors, denominator


def invres(r, p, k, tol=1e-3, rtype="avg"):
    """``scipy.signal.invres``"""
    r, k, factors, denominator = parts_of(r, p, k, tol, rtype, "f")
    numerator = np.polymul(k, denominator) if np.size(k) else np.zeros(1)
    for i, factor in enumerate(factors[: np.size(r)]):
        numerator = np.polyadd(numerator, r[i] * factor)
    return numerator, denominator


def invresz(r, p, k, tol=1e-3, rtype="avg"):
    """``scipy.signal.invresz``"""
    r, k, factors, denominator = parts_of(r, p, k, tol, rtype, "b")
    numerator = np.zeros(1)
    if np.size(k):
        numerator = np.polymul(k[::-1], denominator[::-1])
    for i, factor in enumerate(factors[: np.size(r)]):
        numerator = np.polyadd(numerator, r[i] * factor[::-1])
    return numerator[::-1], denominator


for _own in (unique_roots, residue, residuez, invres, invresz):
    defined_as(getattr(signal, _own.__name__), _own)
