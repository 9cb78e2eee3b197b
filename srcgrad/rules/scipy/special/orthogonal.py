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
from srcgrad.rules.scipy.special.searches import asking
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


# ----- The rules -----
def defpolynomial(function, parameters, in_n, along, **in_parameters):
    """Rules from slopes, which take all arguments; the last one is the point.

    The degree and the parameters are real, whatever the function is. Those in the
    parameters are told whether a slope in the degree may follow (``moves``).
    """
    names = parameters.split(", ")
    needs = [names[0], f"{names[0]}_needed", *names[1:]]

    def by_degree(g, *args):
        return np.real(g * conj(in_n(*args)))

    def by_point(g, n, moves, *args):
        return g * conj(along(movable(n, moves), *args))

    def by(slope):
        def rule(g, n, moves, *args):
            return np.real(g * conj(slope(n, *args, moves=moves)))

        return asking(needs, rule)

    rules = {name: by(slope) for name, slope in in_parameters.items()}
    rules |= {names[0]: asking(names, by_degree), names[-1]: asking(needs, by_point)}
    defufunc(function, parameters, **rules)


def moved(factor, slope, scale, shift):
    """The slope of a function at ``scale * x + shift``."""
    return lambda n, x: factor * slope(n, scale * x + shift)


def of_first_kind(n, x):
    return n * unless_constant(n, special.eval_chebyu(below(n), x))


def first_of(slopes):
    return lambda *args: slopes(*args)[0]


LEGENDRE = of_legendre, legendre_in_n
FIRST_KIND, SECOND_KIND = (
    (of_first_kind, first_kind_in_n),
    (of_second_kind, second_kind_in_n),
)
for _name, (_along, _in_n), _factor, _scale, _shift in (
    ("legendre", LEGENDRE, 1.0, 1.0, 0.0),
    ("sh_legendre", LEGENDRE, 1.0, 2.0, -1.0),
    ("chebyt", FIRST_KIND, 1.0, 1.0, 0.0),
    ("sh_chebyt", FIRST_KIND, 1.0, 2.0, -1.0),
    ("chebyc", FIRST_KIND, 2.0, 0.5, 0.0),
    ("chebyu", SECOND_KIND, 1.0, 1.0, 0.0),
    ("sh_chebyu", SECOND_KIND, 1.0, 2.0, -1.0),
    ("chebys", SECOND_KIND, 1.0, 0.5, 0.0),
):
    defpolynomial(
        *(getattr(special, f"eval_{_name}"), "n, x"),
        moved(_factor, _in_n, _scale, _shift),
        moved(_factor * _scale, _along, _scale, _shift),
    )
defpolynomial(
    *(special.eval_laguerre, "n, x"),
    lambda n, x: laguerre_slopes(n, 0.0, x)[0],
    lambda n, x: laguerre(n, 0.0, x),
)
defpolynomial(
    *(special.eval_gegenbauer, "n, alpha, x", first_of(gegenbauer_slopes)),
    lambda n, alpha, x: 2.0 * alpha * gegenbauer(n, alpha + 1.0, x),
    alpha=gegenbauer_in_alpha,
)
defpolynomial(
    *(special.eval_genlaguerre, "n, alpha, x", first_of(laguerre_slopes), laguerre),
    alpha=laguerre_in_alpha,
)
defpolynomial(
    *(special.eval_jacobi, "n, alpha, beta, x", first_of(jacobi_slopes), jacobi),
    alpha=jacobi_in_alpha,
    beta=jacobi_in_beta,
)


def hermite_back(function, scale):
    """Of whole degrees alone."""
    return lambda g, n, x: scale * g * n * function(below(n), x)


for _function, _scale in ((special.eval_hermite, 2.0), (special.eval_hermitenorm, 1.0)):
    defufunc(_function, "n, x", x=hermite_back(_function, _scale))


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


defpolynomial(
    *(special.eval_sh_jacobi, "n, p, q, x", shifted_in_n, shifted_along),
    p=shifted_in_p,
    q=shifted_in_q,
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
