"""Rules for ``scipy.linalg``: Schur, QZ, Hessenberg, by the turns that keep their form.

Where ``a = q @ t @ q.H``, a change of ``a`` turns ``q`` so that ``t`` keeps its zeros.
Each turn is a sum of generators, and each zero a condition on it; what else LAPACK
keeps (equal diagonals of a block of two rows, real numbers) makes these as many.
"""

import inspect

import numpy as np
from scipy import linalg

from srcgrad.rules.complexes import adjoint, conj, is_complex
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.factorisations import undetermined
from srcgrad.rules.libraries import reaching
from srcgrad.rules.registry import defvjp, defvjps
from srcgrad.rules.scipy.linalg.factorizations import refuse
from srcgrad.rules.scipy.scipy_sources import as_in_scipy, on_variables


# ----- Generators of turns, and conditions -----
def units(n, pairs):
    """Matrices with a single one, at each of some places."""
    rows, cols = np.array(pairs, int).reshape(-1, 2).T
    found = np.zeros((len(rows), n, n))
    found[np.arange(len(rows)), rows, cols] = 1.0
    return found


def below(n, first=0, apart=1):
    """The places below a diagonal, from a column on."""
    return [(i, j) for j in range(first, n) for i in range(j + apart, n)]


def turns(n, first, with_phases):
    """Skew matrices that leave the first vectors as they are."""
    lower = units(n, below(n, first))
    found = lower - np.swapaxes(lower, 1, 2)
    if not with_phases:
        return found
    return np.concatenate([found, 1j * (lower + np.swapaxes(lower, 1, 2))])


def phases(n, first=0):
    return 1j * units(n, [(k, k) for k in range(first, n)])


def zeros_of(places, with_phases):
    """Conditions that say that elements stay zero."""
    return np.concatenate([places, 1j * places]) if with_phases else places


def flat(x):
    *stack, m, n = np.shape(x)
    return np.reshape(x, (*stack, m * n))


def along(x, y):
    """The real inner product of each of some matrices with each of others."""
    return np.real(flat(x) @ np.swapaxes(conj(flat(y)), -1, -2))


def turned_back(g, forms, bases, generators, conditions, free=None):
    """The gradients in ``q @ form @ z.H``, from those of the forms, of q, and of z.

    ``generators`` are the turns of q and of z, ``conditions`` matrices to whose inner
    product with the change of each form these add up to nothing. Along ``free`` turns,
    which LAPACK chooses as it likes, nothing may change.
    """
    of_forms, of_bases = g
    pairs = [
        (t[..., None, :, :], of_t) for t, of_t in zip(forms, of_forms, strict=True)
    ]
    of_turns = [adjoint(q) @ of_q for q, of_q in zip(bases, of_bases, strict=True)]

    def slopes(left, right):
        found = sum(
            along(each, of_q[..., None, :, :])
            for each, of_q in zip((left, right), of_turns, strict=False)
        )
        for t, of_t in pairs:
            found = found + along(t @ right - left @ t, of_t[..., None, :, :])
        return found[..., 0]

    left, right = generators
    change = sum(
        along(t @ right - left @ t, condition)
        for (t, _), condition in zip(pairs, conditions, strict=True)
    )
    weights = np.linalg.solve(change, columns_of(slopes(left, right)))
    inner = [
        of_t - np.sum(weights[..., None] * condition, axis=-3)
        for (_, of_t), condition in zip(pairs, conditions, strict=True)
    ]
    if free is not None:
        size = sum(np.max(np.abs(x), axis=(-2, -1)) for x in of_turns)
        for t, of_t in zip(forms, of_forms, strict=True):
            sizes = [np.max(np.abs(x), axis=(-2, -1)) for x in (t, of_t)]
            size = size + np.shape(t)[-1] * sizes[0] * sizes[1]
        noise = np.sqrt(np.finfo(bases[0].dtype).eps) * columns_of(size)
        unknown = np.sum(undetermined(slopes(*free), noise), axis=-1)
        inner = [x + unknown[..., None, None] for x in inner]
    return [bases[0] @ x @ adjoint(bases[-1]) for x in inner]


def columns_of(v):
    return v[..., None]


# ----- Schur -----
def in_blocks(form):
    """Which elements below the diagonal are within a block of two rows."""
    rows, cols = np.array(below(form.shape[-1]), int).reshape(-1, 2).T
    return (form[..., rows, cols] != 0)[..., None, None]


def equal_diagonals(n):
    """Within a block LAPACK makes the diagonal equal."""
    places = below(n)
    return units(n, [(j, j) for _, j in places]) - units(n, [(i, i) for i, _ in places])


def schur_back(g, out):
    (of_form, of_basis, *_), (form, basis, *_) = g, out
    n, with_phases = form.shape[-1], is_complex(form)
    generators = (turns(n, 0, with_phases),) * 2
    if with_phases:
        conditions = zeros_of(units(n, below(n)), True)
        free = (phases(n),) * 2
    else:
        lower, free = units(n, below(n)), None
        conditions = np.where(in_blocks(form), equal_diagonals(n), lower)
    parts = (of_form,), (of_basis,)
    return turned_back(parts, (form,), (basis,), generators, (conditions,), free)[0]


schur_of = reaching(linalg.schur)


def schur(
    a, output="real", lwork=None, overwrite_a=False, sort=None, check_finite=True
):
    """By its rule, with ``sort`` as LAPACK can call it, which counts its parameters."""
    if not hasattr(sort, "__wrapped__"):
        return NotImplemented

    def by_parts(x, y=None):
        return sort(x) if y is None else sort(x, y)

    is_of_one = len(inspect.signature(sort).parameters) == 1
    chosen = (lambda x: sort(x)) if is_of_one else by_parts
    return schur_of(a, output, lwork, overwrite_a, chosen, check_finite)


defvjp(linalg.schur, a=schur_back)
defined_as(linalg.schur, schur)


# ----- QZ, of a pair -----
def qz_back(of_forms, of_bases, forms, bases):
    n, with_phases = forms[0].shape[-1], is_complex(forms[0])
    both = turns(n, 0, with_phases)
    none = np.zeros_like(both)
    left, right = np.concatenate([both, none]), np.concatenate([none, both])
    lower = zeros_of(units(n, below(n)), with_phases)
    if with_phases:
        # LAPACK makes the second diagonal real numbers.
        nothing, still, free = np.zeros_like(lower), np.zeros((n, n, n)), phases(n)
        left, right = np.concatenate([left, still]), np.concatenate([right, free])
        of_first = np.concatenate([lower, nothing, still])
        of_second = np.concatenate([nothing, lower, free])
        free = free, free
    else:
        # Within a block it makes the second matrix diagonal.
        is_block, free = in_blocks(forms[0]), None
        of_first = np.where(is_block, 0.0, lower)
        of_second = np.where(is_block, np.swapaxes(lower, 1, 2), 0.0)
        of_first = np.concatenate([of_first, np.zeros_like(of_first)], axis=-3)
        of_second = np.concatenate([of_second, of_second * 0.0 + lower], axis=-3)
    conditions = of_first, of_second
    return turned_back(
        (of_forms, of_bases), forms, bases, (left, right), conditions, free
    )


def qz_of(g, out):
    return qz_back(g[:2], g[2:], out[:2], out[2:])


def ordqz_of(g, out):
    """Its eigenvalues are the quotients of the diagonals, where there are no blocks."""
    (of_a, of_b, of_alpha, of_beta, *of_bases), (a, b, _, _, *bases) = g, out
    n = a.shape[-1]
    is_block = np.diagonal(a, -1, -2, -1) != 0
    pad = np.zeros((*np.shape(is_block)[:-1], 1), bool)
    inside = np.concatenate([is_block, pad], -1) | np.concatenate([pad, is_block], -1)
    unknown = inside & ((of_alpha != 0) | (of_beta != 0))
    of_alpha = of_alpha * np.where(unknown, np.nan, 1.0)
    if not is_complex(a):
        of_alpha, of_beta = np.real(of_alpha), np.real(of_beta)
    eye = np.eye(n)
    of_forms = of_a + columns_of(of_alpha) * eye, of_b + columns_of(of_beta) * eye
    return qz_back(of_forms, of_bases, (a, b), bases)


defvjps(linalg.qz, qz_of, "A", "B")
defvjps(linalg.ordqz, ordqz_of, "A", "B")


# ----- Hessenberg -----
hessenberg = reaching(linalg.hessenberg)


def hessenberg_back(g, a, out, calc_q):
    """The first vector stays, and complex numbers below the diagonal are real."""
    if calc_q:
        (of_form, of_basis), (form, basis) = g, out
    else:
        of_form, (form, basis) = g, hessenberg(a, calc_q=True)
        of_basis = np.zeros_like(basis)
    n, with_phases = form.shape[-1], is_complex(form)
    if n < 3:  # it is the matrix itself
        return of_form
    generators = turns(n, 1, with_phases)
    conditions = zeros_of(units(n, below(n, 0, 2)), with_phases)
    if with_phases:
        generators = np.concatenate([generators, phases(n, 1)])
        beside = 1j * units(n, [(k + 1, k) for k in range(n - 1)])
        conditions = np.concatenate([conditions, beside])
    parts = (of_form,), (of_basis,)
    return turned_back(parts, (form,), (basis,), (generators,) * 2, (conditions,))[0]


defvjp(linalg.hessenberg, a=hessenberg_back)


# ----- A real form made complex; complex eigenvalues as real blocks -----
def cdf2rdf(w, v):
    """``scipy.linalg.cdf2rdf`` of pairs that are beside each other"""
    places = np.nonzero(np.not_equal(np.imag(w), 0.0))[-1]
    if np.any(places[1::2] - places[:-1:2] != 1):
        refuse("cdf2rdf", "of pairs that are not beside each other")
    return on_variables(linalg.cdf2rdf)(w, v)


as_in_scipy(linalg, "rsf2csf")
defined_as(linalg.cdf2rdf, cdf2rdf)
