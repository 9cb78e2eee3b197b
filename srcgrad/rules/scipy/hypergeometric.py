"""Rules for ``scipy.special``: hypergeometric functions, polynomials, Lambert's W."""

import numpy as np
from scipy import special

from srcgrad.rules.complexes import conj
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.registry import defvjp
from srcgrad.rules.scipy.hypergeometric_parameters import (
    confluent,
    confluent_limit,
    gauss,
    wright,
)
from srcgrad.rules.scipy.ufuncs import defufunc

# ----- Hypergeometric functions -----
defufunc(
    special.hyp0f1,
    "v, z",
    v=lambda g, v, z: g * confluent_limit(v, z),
    z=lambda g, v, z: g * conj(special.hyp0f1(v + 1.0, z) / v),
)
defufunc(
    special.hyp1f1,
    "a, b, x",
    a=lambda g, a, b, x: g * confluent(a, b, x)[0],
    b=lambda g, a, b, x: g * confluent(a, b, x)[1],
    x=lambda g, a, b, x: g * conj(special.hyp1f1(a + 1.0, b + 1.0, x) * (a / b)),
)
defufunc(
    special.hyp2f1,
    "a, b, c, z",
    a=lambda g, a, b, c, z: g * gauss(a, b, c, z)[0],
    b=lambda g, a, b, c, z: g * gauss(a, b, c, z)[1],
    c=lambda g, a, b, c, z: g * gauss(a, b, c, z)[2],
    z=lambda g, a, b, c, z: (
        g * conj(special.hyp2f1(a + 1.0, b + 1.0, c + 1.0, z) * (a * b / c))
    ),
)
defufunc(
    special.hyperu,
    "a, b, x",
    x=lambda g, a, b, x: -g * a * special.hyperu(a + 1.0, b + 1.0, x),
)
defufunc(
    special.wright_bessel,
    "a, b, x",
    a=lambda g, a, b, x: g * wright(a, b, x, 0.0)[0],
    b=lambda g, a, b, x: g * wright(a, b, x, 0.0)[1],
    x=lambda g, a, b, x: g * special.wright_bessel(a, a + b, x),
)
defufunc(
    special.log_wright_bessel,
    "a, b, x",
    a=lambda g, a, b, x, out: g * wright(a, b, x, out)[0],
    b=lambda g, a, b, x, out: g * wright(a, b, x, out)[1],
    x=lambda g, a, b, x, out: g * np.exp(special.log_wright_bessel(a, a + b, x) - out),
)

# ----- Lambert's and Wright's: the inverses of x * exp(x) and x + log(x) -----
defvjp(special.lambertw, z=lambda g, out: g * conj(np.exp(-out) / (1.0 + out)))
defufunc(special.wrightomega, "z", z=lambda g, out: g * conj(out / (1.0 + out)))


# ----- Orthogonal polynomials: each slope is one of another family -----
def below(n):
    """The degree of the slope, and 0 rather than -1."""
    return np.maximum(np.subtract(n, 1), 0)


def unless_constant(n, slope):
    return np.where(np.equal(n, 0), 0.0, slope)


def gegenbauer(n, alpha, x):
    return unless_constant(n, special.eval_gegenbauer(below(n), alpha, x))


def jacobi_back(g, n, alpha, beta, x):
    slope = special.eval_jacobi(below(n), alpha + 1.0, beta + 1.0, x)
    return 0.5 * g * conj(unless_constant(n, slope) * (n + alpha + beta + 1.0))


def shifted_jacobi_back(g, n, p, q, x):
    slope = special.eval_sh_jacobi(below(n), p + 2.0, q + 1.0, x)
    return g * conj(unless_constant(n, slope) * n)


def associated_legendre_back(g, m, v, x, out):
    lower = (np.add(v, m)) * special.lpmv(m, np.subtract(v, 1), x)
    return g * (lower - v * x * out) / ((1.0 - x) * (1.0 + x))


defufunc(special.eval_jacobi, "n, alpha, beta, x", x=jacobi_back)
defufunc(special.eval_sh_jacobi, "n, p, q, x", x=shifted_jacobi_back)
defufunc(
    special.eval_gegenbauer,
    "n, alpha, x",
    x=lambda g, n, alpha, x: g * conj(2.0 * alpha * gegenbauer(n, alpha + 1.0, x)),
)
defufunc(
    special.eval_legendre, "n, x", x=lambda g, n, x: g * conj(gegenbauer(n, 1.5, x))
)
defufunc(
    special.eval_sh_legendre,
    "n, x",
    x=lambda g, n, x: 2.0 * g * conj(gegenbauer(n, 1.5, 2.0 * x - 1.0)),
)
defufunc(
    special.eval_chebyt,
    "n, x",
    x=lambda g, n, x: (
        g * conj(n * unless_constant(n, special.eval_chebyu(below(n), x)))
    ),
)
defufunc(
    special.eval_sh_chebyt,
    "n, x",
    x=lambda g, n, x: (
        2.0 * g * conj(n * unless_constant(n, special.eval_sh_chebyu(below(n), x)))
    ),
)
defufunc(
    special.eval_chebyc,
    "n, x",
    x=lambda g, n, x: (
        g * conj(n * unless_constant(n, special.eval_chebys(below(n), x)))
    ),
)
defufunc(
    special.eval_chebyu,
    "n, x",
    x=lambda g, n, x: 2.0 * g * conj(gegenbauer(n, 2.0, x)),
)
defufunc(
    special.eval_sh_chebyu,
    "n, x",
    x=lambda g, n, x: 4.0 * g * conj(gegenbauer(n, 2.0, 2.0 * x - 1.0)),
)
defufunc(
    special.eval_chebys,
    "n, x",
    x=lambda g, n, x: g * conj(gegenbauer(n, 2.0, 0.5 * x)),
)
defufunc(
    special.eval_laguerre,
    "n, x",
    x=lambda g, n, x: (
        -g * conj(unless_constant(n, special.eval_genlaguerre(below(n), 1.0, x)))
    ),
)
defufunc(
    special.eval_genlaguerre,
    "n, alpha, x",
    x=lambda g, n, alpha, x: (
        -g
        * conj(unless_constant(n, special.eval_genlaguerre(below(n), alpha + 1.0, x)))
    ),
)
defufunc(
    special.eval_hermite,
    "n, x",
    x=lambda g, n, x: 2.0 * g * n * special.eval_hermite(below(n), x),
)
defufunc(
    special.eval_hermitenorm,
    "n, x",
    x=lambda g, n, x: g * n * special.eval_hermitenorm(below(n), x),
)
defufunc(special.lpmv, "m, v, x", x=associated_legendre_back)
defined_as(
    special.assoc_laguerre, lambda x, n, k=0.0: special.eval_genlaguerre(n, k, x)
)
