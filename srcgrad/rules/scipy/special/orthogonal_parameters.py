"""Rules for ``scipy.special``: orthogonal polynomials by parameters and degree.

Of whole degree, the slope in a parameter is a sum of the polynomials of lower degree;
else they are hypergeometric functions, which the slope in the degree needs in any case.
"""

import numpy as np
from scipy import special

from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.rules.registry import defconstant
from srcgrad.rules.scipy.special.hypergeometric_parameters import (
    check,
    confluent,
    gauss,
)

digamma = special.digamma


# ----- Sums over lower degrees -----
@dispatched
def lower_degrees(n):
    """All degrees below the highest that is whole."""
    n = np.asarray(n)
    is_known = np.isfinite(n) & (n == np.floor(n))
    return np.arange(int(np.max(n[is_known], initial=1)))


defconstant(lower_degrees)
declare(lower_degrees, shape_by_value=True)


def is_whole(n):
    return np.equal(n, np.floor(n)) & np.greater_equal(n, 0)


def summed(n, terms, x, *parameters):
    """Of ``terms(n - k, k, n, x, *parameters)`` for ``k`` below ``n``."""
    n, x, *parameters = (
        np.expand_dims(each, -1) for each in np.broadcast_arrays(n, x, *parameters)
    )
    k = lower_degrees(n)
    is_below = (k < n) & is_whole(n)
    left = np.where(is_below, n - k, 1.0)
    found = terms(left, k, np.where(is_below, n, k + 1), x, *parameters)
    return np.sum(np.where(is_below, found, 0.0), axis=-1)


def sign_of(power):
    """Of -1, to a whole power."""
    return np.where(np.remainder(power, 2.0) == 0, 1.0, -1.0)


def jacobi_terms(left, k, n, x, alpha, beta, ratio):
    both = alpha + beta
    is_first = k == 0
    share = (2.0 * k + 1.0 + both) / np.where(is_first, 1.0, k + 1.0 + both)
    share = np.where(is_first, 1.0, share) / left
    share = share * ratio / special.poch(both + k + 2.0, left - 1.0)
    lower = share * special.eval_jacobi(k, alpha, beta, x)
    return (special.eval_jacobi(n, alpha, beta, x) + lower) / (n + k + 1.0 + both)


def jacobi_alpha_terms(left, k, n, x, alpha, beta):
    ratio = special.poch(beta + k + 1.0, left)
    return jacobi_terms(left, k, n, x, alpha, beta, ratio)


def jacobi_beta_terms(left, k, n, x, alpha, beta):
    ratio = sign_of(left) * special.poch(alpha + k + 1.0, left)
    return jacobi_terms(left, k, n, x, alpha, beta, ratio)


def gegenbauer_terms(left, k, n, x, alpha):
    more = 1.0 / (n + k + 2.0 * alpha)
    ratio = (k + 1.0) / ((k + 2.0 * alpha) * (2.0 * (k + alpha) + 1.0)) + more
    lower = special.eval_gegenbauer(k, alpha, x) * (k + alpha) * more / left
    lower = lower * (1.0 + sign_of(left))
    return 2.0 * (ratio * special.eval_gegenbauer(n, alpha, x) + lower)


def laguerre_terms(left, k, n, x, alpha):
    return special.eval_genlaguerre(k, alpha, x) / left


# ----- Slopes in the degree, and in the parameters of any degree -----
def jacobi_slopes(n, alpha, beta, x):
    """By ``n``, ``alpha`` and ``beta``."""
    n, alpha, beta, x = np.broadcast_arrays(n, alpha, beta, x)
    scale, own = special.binom(n + alpha, n), special.eval_jacobi(n, alpha, beta, x)
    by_a, by_b, by_c = gauss(-n, n + alpha + beta + 1.0, alpha + 1.0, 0.5 * (1.0 - x))
    both = digamma(n + alpha + 1.0)
    in_n = own * (both - digamma(n + 1.0)) + scale * (by_b - by_a)
    in_alpha = own * (both - digamma(alpha + 1.0)) + scale * (by_b + by_c)
    return in_n, in_alpha, scale * by_b


def gegenbauer_slopes(n, alpha, x):
    """By ``n`` and ``alpha``."""
    n, alpha, x = np.broadcast_arrays(n, alpha, x)
    twice, own = 2.0 * alpha, special.eval_gegenbauer(n, alpha, x)
    scale = np.exp(-special.betaln(n + 1.0, twice)) / (n + twice)
    by_a, by_b, by_c = gauss(-n, n + twice, alpha + 0.5, 0.5 * (1.0 - x))
    both = digamma(n + twice)
    in_n = own * (both - digamma(n + 1.0)) + scale * (by_b - by_a)
    in_alpha = 2.0 * own * (both - digamma(twice)) + scale * (2.0 * by_b + by_c)
    return in_n, in_alpha


def laguerre_slopes(n, alpha, x):
    """By ``n`` and ``alpha``."""
    n, alpha, x = np.broadcast_arrays(n, alpha, x)
    scale, own = special.binom(n + alpha, n), special.eval_genlaguerre(n, alpha, x)
    by_a, by_b = confluent(-n, alpha + 1.0, x)
    both = digamma(n + alpha + 1.0)
    in_n = own * (both - digamma(n + 1.0)) - scale * by_a
    return in_n, own * (both - digamma(alpha + 1.0)) + scale * by_b


def is_integer(n):
    return getattr(n, "dtype", np.dtype(type(n))).kind in "biu"


def parameter_slope(terms, slopes, number):
    """By a parameter: a sum where the degree is whole and no slope in it may follow."""

    def slope(n, *args, moves=False):
        *parameters, x = args
        if moves:
            return slopes(n, *parameters, x)[number]
        found = summed(n, terms, x, *parameters)
        if is_integer(n):
            return found
        is_sum = is_whole(n)
        degree, inside = np.where(is_sum, 0.5, n), np.where(is_sum, 0.5, x)
        rest = slopes(degree, *parameters, inside)[number]
        return np.where(is_sum, found, rest)

    return slope


jacobi_in_alpha = parameter_slope(jacobi_alpha_terms, jacobi_slopes, 1)
jacobi_in_beta = parameter_slope(jacobi_beta_terms, jacobi_slopes, 2)
gegenbauer_in_alpha = parameter_slope(gegenbauer_terms, gegenbauer_slopes, 1)
laguerre_in_alpha = parameter_slope(laguerre_terms, laguerre_slopes, 1)


def legendre_in_n(n, x):
    is_low = np.less(n, -0.5)
    slope = jacobi_slopes(np.where(is_low, np.subtract(-1, n), n), 0.0, 0.0, x)[0]
    return np.where(is_low, -slope, slope)


def first_kind_in_n(n, x):
    """Of ``cos(n t)`` at ``cos(t)``, or of ``cosh``."""
    check("eval_chebyt", x)
    t, u = angles(x)
    return np.where(x > 1, u * np.sinh(n * u), -t * np.sin(n * t))


def second_kind_in_n(n, x):
    """Of ``sin((n + 1) t) / sin(t)`` at ``cos(t)``, or of ``sinh``."""
    check("eval_chebyu", x)
    t, u = angles(x)
    more = np.add(n, 1.0)
    inside = t * np.cos(more * t) / np.where(x == 1, 1.0, np.sin(t))
    outside = u * np.cosh(more * u) / np.sinh(u)
    return np.where(x > 1, outside, np.where(x == 1, 1.0, inside))


def angles(x):
    """The arc cosine, and where that is none, the other; 1 stands for what is not."""
    t = np.arccos(np.where(np.abs(x) <= 1, x, np.where(x > 1, 0.0, np.nan)))
    return t, np.arccosh(np.where(x > 1, x, 2.0))


def associated_legendre_in_v(m, v, x, out):
    """By the degree: hypergeometric, with factors in front."""
    m, v, x = np.broadcast_arrays(m, v, x)
    order = np.abs(m)
    by_a, by_b, _ = gauss(order - v, order + v + 1.0, order + 1.0, 0.5 * (1.0 - x))
    scale = (0.5 * np.sqrt((1.0 - x) * (1.0 + x))) ** order / special.gamma(order + 1.0)
    above = special.poch(v - order + 1.0, 2.0 * order)
    scale = scale * np.where(m < 0, 1.0, (-1.0) ** order * above)
    own = out * (digamma(v + m + 1.0) - digamma(v - m + 1.0))
    return np.where(m < 0, 0.0, own) + scale * (by_b - by_a)
