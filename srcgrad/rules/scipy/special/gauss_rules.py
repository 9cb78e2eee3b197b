"""Rules for ``scipy.special``: nodes and weights of Gauss's rules by the parameters.

A node is a root of a polynomial. Newton's steps there do not move it, and have its
slopes; the weights have formulas in the slope of the polynomial.
"""

import numpy as np
from scipy import special

from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.registry import defconstant
from srcgrad.valued import valued

gammaln = special.gammaln


@dispatched
def rule_of(function, n, *parameters):
    """SciPy's nodes, weights, and their sum."""
    x, weights, whole = function(n, *parameters, mu=True)
    return np.concatenate([x, weights, [whole]])


defconstant(rule_of)
declare(rule_of, raises=True, shape_by_value=True)


def root_near(x, value, slope):
    """With slopes to the third order, as each step doubles what is right of them."""
    for _ in range(2):
        x = x - value(x) / slope(x)
    return x


def as_scipys(function, n, parameters, formulas, mu):
    """The formulas' slopes, of SciPy's numbers."""
    numbers = rule_of(function, n, *parameters)
    x, weights, whole = formulas
    n = int(n)
    found = valued(x, numbers[:n]), valued(weights, numbers[n : 2 * n])
    return (*found, valued(whole, numbers[2 * n])) if mu else found


def jacobi_rule(function, n, parameters, alpha, beta):
    """Nodes, weights and their sum."""
    m = int(n)
    x = root_near(
        rule_of(function, n, *parameters)[:m],
        lambda x: special.eval_jacobi(m, alpha, beta, x),
        lambda x: jacobi_slope(m, alpha, beta, x),
    )
    both = alpha + beta
    logs = gammaln(m + alpha + 1.0) + gammaln(m + beta + 1.0)
    logs = logs - gammaln(m + both + 1.0) - gammaln(m + 1.0)
    scale = np.exp(logs) * 2.0 ** (both + 1.0)
    slope = jacobi_slope(m, alpha, beta, x)
    weights = scale / ((1.0 - x) * (1.0 + x) * slope * slope)
    whole = 2.0 ** (both + 1.0) * np.exp(special.betaln(alpha + 1.0, beta + 1.0))
    return x, weights, whole


def jacobi_slope(m, alpha, beta, x):
    rest = special.eval_jacobi(m - 1, alpha + 1.0, beta + 1.0, x)
    return 0.5 * (m + alpha + beta + 1.0) * rest


def roots_jacobi(n, alpha, beta, mu=False):
    given = alpha, beta
    found = jacobi_rule(special.roots_jacobi, n, given, alpha, beta)
    return as_scipys(special.roots_jacobi, n, given, found, mu)


def roots_gegenbauer(n, alpha, mu=False):
    both = alpha - 0.5, alpha - 0.5
    found = jacobi_rule(special.roots_gegenbauer, n, (alpha,), *both)
    return as_scipys(special.roots_gegenbauer, n, (alpha,), found, mu)


def roots_sh_jacobi(n, p1, q1, mu=False):
    both = p1 - q1, q1 - 1.0
    x, weights, whole = jacobi_rule(special.roots_jacobi, n, both, *both)
    scale = 2.0**p1
    found = 0.5 * (x + 1.0), weights / scale, whole / scale
    return as_scipys(special.roots_sh_jacobi, n, (p1, q1), found, mu)


def roots_genlaguerre(n, alpha, mu=False):
    m = int(n)
    x = root_near(
        rule_of(special.roots_genlaguerre, n, alpha)[:m],
        lambda x: special.eval_genlaguerre(m, alpha, x),
        lambda x: -special.eval_genlaguerre(m - 1, alpha + 1.0, x),
    )
    slope = special.eval_genlaguerre(m - 1, alpha + 1.0, x)
    scale = np.exp(gammaln(m + alpha + 1.0) - gammaln(m + 1.0))
    found = x, scale / (x * slope * slope), np.exp(gammaln(alpha + 1.0))
    return as_scipys(special.roots_genlaguerre, n, (alpha,), found, mu)


for _own in (roots_jacobi, roots_gegenbauer, roots_sh_jacobi, roots_genlaguerre):
    defined_as(getattr(special, _own.__name__), _own)
    declare(getattr(special, _own.__name__), raises=True)
