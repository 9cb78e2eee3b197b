"""Rules for ``scipy.special``: functions that come for all orders, with their slopes.

Each solves a differential equation of second order: what there is besides a slope of a
slope is in the equation. Those that stack derivatives have the next in the next row.
"""

import functools

import numpy as np
from scipy import special

from srcgrad.facts import declare
from srcgrad.function_parameters import SIGNATURES
from srcgrad.protocols import dispatched
from srcgrad.rules.complexes import conj
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.libraries import reaching
from srcgrad.rules.registry import defvjp
from srcgrad.rules.scipy.without import refuse


def of_numbers(original, **facts):
    """A function that takes numbers alone, which are 0-d arrays in Variables."""

    @dispatched
    @functools.wraps(original)
    def taking(*args):
        return original(*(x[()] if isinstance(x, np.ndarray) else x for x in args))

    defined_as(original, taking)
    declare(taking, raises=True, **facts)
    return taking


# ----- Pairs of values and slopes, for each order -----
def pair_back(g, out, bend):
    """The cotangent of the point, given the slope of the slope."""
    of_value, of_slope = g
    return np.sum(of_value * conj(out[1]) + of_slope * conj(bend), axis=0)


def along_first(orders, like):
    return np.reshape(orders, (-1,) + (1,) * (np.ndim(like) - 1))


def second_kind_back(g, z, out, orders, square=0.0):
    """Legendre's equation."""
    inner = (1.0 - z) * (1.0 + z)
    rest = orders * (orders + 1.0) - square / inner
    return pair_back(g, out, (2.0 * z * out[1] - rest * out[0]) / inner)


def lqn_back(g, n, z, out):
    return second_kind_back(g, z, out, along_first(np.arange(n + 1.0), out[0]))


def lqmn_back(g, m, n, z, out):
    degrees = along_first(np.arange(n + 1.0), out[0][0])
    square = along_first(np.arange(m + 1.0) ** 2, out[0])
    return np.sum(second_kind_back(g, z, out, degrees, square), axis=0)


def lmbda_back(g, v, x, out):
    """At 0 the equation is that of the power series."""
    orders = v - np.floor(v) + np.arange(np.floor(v) + 1.0)
    is_start = x == 0
    fall = (2.0 * orders + 1.0) * out[1] / np.where(is_start, 1.0, x)
    at_start = -out[0] / (2.0 * orders + 2.0)
    return pair_back(g, out, np.where(is_start, at_start, -out[0] - fall))


def riccati_back(g, n, x, out):
    orders = np.arange(n + 1.0)
    return pair_back(g, out, (orders * (orders + 1.0) / (x * x) - 1.0) * out[0])


def cylinder_orders(v):
    """As SciPy counts them: from the fraction of an order of 1 at least."""
    whole = int(v)
    last = max(whole, 1) + (v - whole)
    return last - int(last) + np.arange(int(last) + 1.0)


def cylinder_back(g, v, x, out):
    orders = cylinder_orders(v)[: np.shape(out[0])[0]]
    return pair_back(g, out, (0.25 * x * x - orders - 0.5) * out[0])


def complex_cylinder_back(g, n, z, out):
    size = np.shape(out[0])[0]
    orders = np.sign(n) * np.arange(float(size))
    return pair_back(g, out, (0.25 * z * z - orders - 0.5) * out[0])


lmbda = of_numbers(special.lmbda)
pbdv_seq, pbvv_seq = of_numbers(special.pbdv_seq), of_numbers(special.pbvv_seq)
pbdn_seq = of_numbers(special.pbdn_seq)
riccati_jn, riccati_yn = of_numbers(special.riccati_jn), of_numbers(special.riccati_yn)

defvjp(special.lqn, z=lqn_back)
defvjp(special.lqmn, z=lqmn_back)
defvjp(lmbda, x=lmbda_back)
defvjp(riccati_jn, x=riccati_back)
defvjp(riccati_yn, x=riccati_back)
defvjp(pbdv_seq, x=cylinder_back)
defvjp(pbvv_seq, x=cylinder_back)
defvjp(pbdn_seq, z=complex_cylinder_back)


# ----- Stacks of derivatives -----
MOST = 2  # derivatives that SciPy has

SIGNATURES[special.legendre_p_all] = "n, z, *, diff_n=0"
SIGNATURES[special.assoc_legendre_p_all] = (
    "n, m, z, *, branch_cut=2, norm=False, diff_n=0"
)
SIGNATURES[special.sph_legendre_p_all] = "n, m, theta, *, diff_n=0"
SIGNATURES[special.sph_harm_y_all] = "n, m, theta, phi, *, diff_n=0"


def next_row(function, diff_n, *args, **options):
    """The derivatives of what is there: a stack that begins one row further."""
    if diff_n >= MOST:
        refuse(
            f"{function.__name__} of derivatives beyond the second", "SciPy has none"
        )
    return reaching(function)(*args, diff_n=diff_n + 1, **options)[1:]


def summed(g, slope, kept):
    """Over all axes of a stack but those of the point."""
    product = g * conj(slope)
    return np.sum(product, axis=tuple(range(np.ndim(product) - kept)))


def associated_back(g, n, m, z, branch_cut, norm, diff_n):
    more = next_row(
        special.assoc_legendre_p_all,
        diff_n,
        *(n, m, z),
        branch_cut=branch_cut,
        norm=norm,
    )
    return summed(g, more, np.ndim(z))


defvjp(
    special.legendre_p_all,
    z=lambda g, n, z, diff_n: summed(
        g, next_row(special.legendre_p_all, diff_n, n, z), np.ndim(z)
    ),
)
defvjp(special.assoc_legendre_p_all, z=associated_back)
defvjp(
    special.sph_legendre_p_all,
    theta=lambda g, n, m, theta, diff_n: summed(
        g, next_row(special.sph_legendre_p_all, diff_n, n, m, theta), np.ndim(theta)
    ),
)


def harmonics_back(angle):
    """Of values, gradients and Hessians; ``angle`` is a place in a gradient."""

    def back(g, n, m, theta, phi, diff_n):
        rows = next_row(special.sph_harm_y_all, diff_n, n, m, theta, phi)
        of_rows = g if diff_n else (g,)
        sums = []
        for order, (each, row) in enumerate(zip(of_rows, rows, strict=True)):
            product = np.real(each * conj(row[..., angle]))
            axes = (0, 1, *range(product.ndim - order, product.ndim))
            sums.append(np.sum(product, axis=axes))
        return functools.reduce(np.add, sums)

    return back


defvjp(special.sph_harm_y_all, theta=harmonics_back(0), phi=harmonics_back(1))
