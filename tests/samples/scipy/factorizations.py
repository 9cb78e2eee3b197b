"""Samples for the rules of ``srcgrad.rules.scipy.linalg.factorizations``."""

import functools

import numpy as np
from scipy import linalg

from srcgrad.rules.libraries import replacement_of
from tests.samples import Draw, Made, S
from tests.samples.factorisations import magnitudes
from tests.samples.matrices import adjoint, spread
from tests.samples.scipy.linear_equations import definite

DOUBLE = (np.float64, np.complex128)


def of_symmetric(name, **kwargs):
    """The function of a symmetric matrix; of what has a phase, what has none."""

    def call(a):
        return phaseless(function_named(name)(0.5 * (a + adjoint(a)), **kwargs))

    return call


def function_named(name):
    return replacement_of(getattr(linalg, name))


def phaseless(result):
    if not isinstance(result, (tuple, list)):
        return result
    return [x if x.ndim < 2 else magnitudes([x])[0] for x in result]


def without_phases(name, **kwargs):
    return lambda *arrays: phaseless(function_named(name)(*arrays, **kwargs))


def near_one(n):
    """A matrix that hardly moves the eigenvalues of a pair."""
    return Made(
        lambda rng, dtype: (np.eye(n) + 0.1 * Draw((n, n))(rng, dtype)).astype(dtype),
        (n, n),
    )


def triangle(name, lower):
    """Of the factor, the triangle that is said to be one."""

    def call(a):
        c, _ = function_named(name)(0.5 * (a + adjoint(a)), lower)
        return np.tril(c) if lower else np.triu(c)

    return call


def lu_without_pivots(a):
    return function_named("lu_factor")(a)[0]


def lu_by_indices(a):
    return function_named("lu")(a, p_indices=True)[1:]


def sum_of_squares(a):
    """Whatever order the eigenvalues come in."""
    return np.sum(function_named("eigvals")(a) ** 2, axis=-1)


def pivoted(**kwargs):
    return lambda a: function_named("qr")(a, pivoting=True, **kwargs)


double = functools.partial(S, dtypes=DOUBLE)
native = functools.partial(S, only_native=True)

SAMPLES = [
    *(
        S(linalg.cholesky, definite(3, 3), call=of_symmetric("cholesky", lower=lower))
        for lower in (False, True)
    ),
    double(linalg.cholesky, definite(2, 3, 3), call=of_symmetric("cholesky")),
    S(linalg.cho_factor, definite(3, 3), call=triangle("cho_factor", True)),
    S(linalg.cho_factor, definite(3, 3), call=triangle("cho_factor", False)),
    *(native(linalg.lu, shape, dtypes=DOUBLE) for shape in ((3, 3), (3, 4), (4, 3))),
    native(linalg.lu, (2, 3, 3)),
    native(linalg.lu, (4, 3), permute_l=True),
    native(linalg.lu, (4, 3), call=lu_by_indices),
    native(linalg.lu_factor, (3, 3), call=lu_without_pivots, dtypes=DOUBLE),
    native(linalg.lu_factor, (3, 4), call=lu_without_pivots),
    native(linalg.lu_factor, (4, 3), call=lu_without_pivots),
    double(linalg.qr, spread(3, 3)),
    double(linalg.qr, spread(4, 3), mode="economic"),
    S(linalg.qr, spread(4, 3), mode="r"),
    S(linalg.qr, spread(2, 4, 3), mode="r"),
    S(linalg.qr, spread(4, 3), call=lambda a: pivoted(mode="economic")(a)[:2]),
    S(linalg.qr, spread(4, 3), call=lambda a: pivoted(mode="r")(a)[0]),
    double(linalg.svd, spread(3, 3), call=without_phases("svd")),
    double(linalg.svd, spread(4, 3), call=without_phases("svd", full_matrices=False)),
    S(linalg.svd, spread(4, 3), compute_uv=False),
    double(linalg.svdvals, spread(4, 3)),
    double(linalg.polar, spread(3, 3)),
    S(linalg.polar, spread(4, 3)),
    S(linalg.polar, spread(3, 4), side="left"),
    double(linalg.orthogonal_procrustes, (4, 3), (4, 3)),
    double(linalg.eig, spread(3, 3), call=without_phases("eig")),
    double(linalg.eigvals, spread(3, 3)),
    S(linalg.eigvals, spread(2, 3, 3), call=sum_of_squares),
    double(linalg.eigvals, spread(3, 3), near_one(3), call=without_phases("eigvals")),
    double(linalg.eig, spread(3, 3), near_one(3), call=without_phases("eig")),
    double(linalg.norm, (3, 4)),
    S(linalg.norm, (3, 4), ord=2, tolerance=1e-3),
    S(linalg.norm, (2, 3, 4), axis=(1, 2), keepdims=True),
    S(linalg.norm, Draw((4,)), ord=1),
]
