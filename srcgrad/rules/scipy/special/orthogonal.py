"""Rules for ``scipy.special``: orthogonal polynomials.

Each slope along ``x`` is one of another family.
"""

import numpy as np
from scipy import special

from srcgrad.rules.complexes import conj
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.scipy.special.orthogonal_parameters import (
    associated_legendre_in_v,
    digamma,
    first_kind_in_n,
    gegenbauer_in_alpha,
    gegenbauer_slopes,
    jacobi_in_alpha,
    jacobi_in_beta,
    jacobi_slopes,
    laguerre_in_alpha,
    laguerre_slopes,
    legendre_in_n,
    second_kind_in_n,
)
from srcgrad.rules.scipy.ufuncs import defufunc


# ----- Slopes along x -----
def below(n):
    """The degree of the slope; SciPy's functions of whole numbers want none below 0."""
    return np.where(np.equal(n, 0), 0, np.subtract(n, 1))


def movable(n, moves):
    """The degree; next to 0 where a slope in it may follow: at 0 there is none."""
    return np.where(np.equal(n, 0), n + 1e-37, n) if moves else n


def unless_constant(n, slope):
    return np.where(np.equal(n, 0), 0.0, slope)


def gegenbauer(n, alpha, x):
    return unless_constant(n, special.eval_gegenbauer(below(n), alpha, x))


def of_legendre(n, x):
    """Its slope: those of the degrees ``n`` and ``-1 - n`` are one function."""
    return gegenbauer(np.where(np.less(n, -0.5), np.subtract(-1, n), n), 1.5, x)


def of_second_kind(n, x):
    """Chebyshev's, its slope: that of degree ``-2 - n`` is that of ``n`` below 0."""
    is_low = np.less(n, -1)
    slope = 2.0 * gegenbauer(np.where(is_low, np.subtract(-2, n), n), 2.0, x)
    return np.where(is_low, -1.0, 1.0) * slope


def jacobi(n, alpha, beta, x):
    slope = special.eval_jacobi(below(n), alpha + 1.0, beta + 1.0, x)
    return 0.5 * unless_constant(n, slope) * (n + alpha + beta + 1.0)


def laguerre(n, alpha, x):
    slope = special.eval_genlaguerre(below(n), alpha + 1.0, x)
    return unless_constant(n, -slope)


def associated_legendre_back(g, m, v, x, out):
    lower = (np.add(v, m)) * special.lpmv(m, np.subtract(v, 1), x)
    return g * (lower - v * x * out) / ((1.0 - x) * (1.0 + x))


# ----- The rules: a degree and a point -----
def point_back(slope):
    """The point may be complex, if the function is."""
    return lambda g, n, n_needed, x: g * conj(slope(movable(n, n_needed), x))


def degree_back(slope):
    """The degree is real, whatever the function is."""
    return lambda g, n, x: np.real(g * conj(slope(n, x)))


def hermite_back(function, scale):
    """Of whole degrees alone."""
    return lambda g, n, x: scale * g * n * function(below(n), x)


def moved(factor, slope, scale, shift):
    """The slope of a function at ``scale * x + shift``."""
    return lambda n, x: factor * slope(n, scale * x + shift)


def of_first_kind(n, x):
    return n * unless_constant(n, special.eval_chebyu(below(n), x))


for function, along, in_n, scale, shift in (
    (special.eval_legendre, of_legendre, legendre_in_n, 1.0, 0.0),
    (special.eval_sh_legendre, of_legendre, legendre_in_n, 2.0, -1.0),
    (special.eval_chebyt, of_first_kind, first_kind_in_n, 1.0, 0.0),
    (special.eval_sh_chebyt, of_first_kind, first_kind_in_n, 2.0, -1.0),
    (special.eval_chebyu, of_second_kind, second_kind_in_n, 1.0, 0.0),
    (special.eval_sh_chebyu, of_second_kind, second_kind_in_n, 2.0, -1.0),
    (special.eval_chebys, of_second_kind, second_kind_in_n, 0.5, 0.0),
):
    defufunc(
        function,
        "n, x",
        n=degree_back(moved(1.0, in_n, scale, shift)),
        x=point_back(moved(scale, along, scale, shift)),
    )
# Twice that of the first kind, at the half.
defufunc(
    special.eval_chebyc,
    "n, x",
    n=degree_back(moved(2.0, first_kind_in_n, 0.5, 0.0)),
    x=point_back(moved(1.0, of_first_kind, 0.5, 0.0)),
)
defufunc(
    special.eval_laguerre,
    "n, x",
    n=degree_back(lambda n, x: laguerre_slopes(n, 0.0, x)[0]),
    x=point_back(lambda n, x: laguerre(n, 0.0, x)),
)
for function, scale in ((special.eval_hermite, 2.0), (special.eval_hermitenorm, 1.0)):
    defufunc(function, "n, x", x=hermite_back(function, scale))


# ----- And parameters -----
def by_parameter(slope):
    return lambda g, n, alpha, x: np.real(g * conj(slope(n, alpha, x)))


def along_parameter(slope):
    return lambda g, n, n_needed, alpha, x: (
        g * conj(slope(movable(n, n_needed), alpha, x))
    )


def in_parameter(slope):
    return lambda g, n, n_needed, alpha, x: np.real(
        g * conj(slope(n, alpha, x, moves=n_needed))
    )


def by_parameters(slope):
    return lambda g, n, alpha, beta, x: np.real(g * conj(slope(n, alpha, beta, x)))


def along_parameters(slope):
    return lambda g, n, n_needed, alpha, beta, x: (
        g * conj(slope(movable(n, n_needed), alpha, beta, x))
    )


def in_parameters(slope):
    return lambda g, n, n_needed, alpha, beta, x: np.real(
        g * conj(slope(n, alpha, beta, x, moves=n_needed))
    )


def first_of(slopes):
    return lambda *args: slopes(*args)[0]


for function, along, in_alpha, slopes in (
    (
        special.eval_gegenbauer,
        lambda n, alpha, x: 2.0 * alpha * gegenbauer(n, alpha + 1.0, x),
        gegenbauer_in_alpha,
        gegenbauer_slopes,
    ),
    (special.eval_genlaguerre, laguerre, laguerre_in_alpha, laguerre_slopes),
):
    defufunc(
        function,
        "n, alpha, x",
        n=by_parameter(first_of(slopes)),
        alpha=in_parameter(in_alpha),
        x=along_parameter(along),
    )
defufunc(
    special.eval_jacobi,
    "n, alpha, beta, x",
    n=by_parameters(first_of(jacobi_slopes)),
    alpha=in_parameters(jacobi_in_alpha),
    beta=in_parameters(jacobi_in_beta),
    x=along_parameters(jacobi),
)


# ----- Shifted Jacobi polynomials: of (p - q, q - 1), over a binomial -----
def shifted(slope, **kwargs):
    def of_shifted(n, p, q, x):
        found = slope(n, p - q, q - 1.0, 2.0 * x - 1.0, **kwargs)
        return found / special.binom(2.0 * n + p - 1.0, n)

    return of_shifted


def shifted_in_n(n, p, q, x):
    both = 2.0 * digamma(2.0 * n + p) - digamma(n + p) - digamma(n + 1.0)
    own = special.eval_sh_jacobi(n, p, q, x) * both
    return shifted(first_of(jacobi_slopes))(n, p, q, x) - own


def shifted_in_p(n, p, q, x, moves):
    both = digamma(n + p) - digamma(2.0 * n + p)
    own = special.eval_sh_jacobi(n, p, q, x) * both
    return shifted(jacobi_in_alpha, moves=moves)(n, p, q, x) + own


def shifted_in_q(n, p, q, x, moves):
    in_alpha = shifted(jacobi_in_alpha, moves=moves)(n, p, q, x)
    return shifted(jacobi_in_beta, moves=moves)(n, p, q, x) - in_alpha


def shifted_along(n, p, q, x):
    return 2.0 * shifted(jacobi)(n, p, q, x)


def shifted_parameter(slope):
    return lambda g, n, n_needed, p, q, x: np.real(
        g * conj(slope(n, p, q, x, n_needed))
    )


defufunc(
    special.eval_sh_jacobi,
    "n, p, q, x",
    n=lambda g, n, p, q, x: np.real(g * conj(shifted_in_n(n, p, q, x))),
    p=shifted_parameter(shifted_in_p),
    q=shifted_parameter(shifted_in_q),
    x=lambda g, n, n_needed, p, q, x: (
        g * conj(shifted_along(movable(n, n_needed), p, q, x))
    ),
)
defufunc(
    special.lpmv,
    "m, v, x",
    v=lambda g, m, v, x, out: g * associated_legendre_in_v(m, v, x, out),
    x=associated_legendre_back,
)
defined_as(
    special.assoc_laguerre, lambda x, n, k=0.0: special.eval_genlaguerre(n, k, x)
)
