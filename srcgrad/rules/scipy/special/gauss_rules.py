"""Rules for ``scipy.special``: nodes and weights of Gauss's rules by the parameters.

A node is a root of a polynomial. Newton's steps there do not move it, and have its
slopes; the weights have formulas in the slope of the polynomial.
"""

import functools
import inspect

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


def jacobi(m, x, alpha, beta):
    """Nodes, weights and their sum, near some nodes."""
    x = root_near(
        x,
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


def gegenbauer(m, x, alpha):
    return jacobi(m, x, alpha - 0.5, alpha - 0.5)


def shifted_jacobi(m, x, p, q):
    x, weights, whole = jacobi(m, 2.0 * x - 1.0, p - q, q - 1.0)
    return 0.5 * (x + 1.0), weights / 2.0**p, whole / 2.0**p


def laguerre(m, x, alpha):
    x = root_near(
        x,
        lambda x: special.eval_genlaguerre(m, alpha, x),
        lambda x: -special.eval_genlaguerre(m - 1, alpha + 1.0, x),
    )
    slope = special.eval_genlaguerre(m - 1, alpha + 1.0, x)
    scale = np.exp(gammaln(m + alpha + 1.0) - gammaln(m + 1.0))
    return x, scale / (x * slope * slope), np.exp(gammaln(alpha + 1.0))


def as_scipys(function, formulas):
    """The formulas' slopes, of SciPy's numbers."""
    signature = inspect.signature(function)

    def composed(*args, **kwargs):
        given = signature.bind(*args, **kwargs)
        given.apply_defaults()
        n, *parameters, mu = given.arguments.values()
        numbers, m = rule_of(function, n, *parameters), int(n)
        x, weights, whole = formulas(m, numbers[:m], *parameters)
        found = valued(x, numbers[:m]), valued(weights, numbers[m : 2 * m])
        return (*found, valued(whole, numbers[2 * m])) if mu else found

    return functools.wraps(function)(composed)


for _function, _formulas in (
    (special.roots_jacobi, jacobi),
    (special.roots_gegenbauer, gegenbauer),
    (special.roots_sh_jacobi, shifted_jacobi),
    (special.roots_genlaguerre, laguerre),
):
    defined_as(_function, as_scipys(_function, _formulas))
    declare(_function, raises=True)
