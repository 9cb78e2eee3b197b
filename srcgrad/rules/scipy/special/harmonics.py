"""Rules for ``scipy.special``: spherical harmonics, Mathieu's and spheroidal functions.

A spherical harmonic's slope along a meridian is made of its neighbours in ``m``. The
others are solutions of differential equations, and come with their own slopes; the
slope of the slope is in the equation.
"""

import math

import numpy as np
from scipy import special

from srcgrad.function_parameters import SIGNATURES
from srcgrad.rules.complexes import conj
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.libraries import reaching
from srcgrad.rules.registry import defvjp
from srcgrad.rules.scipy.special.characteristic import DEGREE, function_back
from srcgrad.rules.scipy.special.modified_mathieu import modified_slopes
from srcgrad.rules.scipy.special.spheroids import (
    angular_slopes,
    radial_slopes,
    sph_legendre_p,
)
from srcgrad.rules.scipy.ufuncs import defufunc
from srcgrad.rules.scipy.without import refuse

# ----- Spherical harmonics and Legendre's functions -----
SIGNATURES[special.sph_harm_y] = "n, m, theta, phi, *, diff_n=0"
SIGNATURES[special.assoc_legendre_p] = "n, m, z, *, branch_cut=2, norm=False, diff_n=0"

sph_harm_y = reaching(special.sph_harm_y)
assoc_legendre_p = reaching(special.assoc_legendre_p)


def check(name, diff_n, norm=False):
    if diff_n or norm:
        refuse(f"{name} with `diff_n` or `norm`", "differentiate the function itself")


def weights(n, m):
    """Of the neighbours above and below in ``m``."""
    less, more = np.subtract(n, m), np.add(n, m)
    above = np.sqrt(np.maximum(less * (more + 1.0), 0.0))
    below = np.sqrt(np.maximum(more * (less + 1.0), 0.0))
    return 0.5 * above, 0.5 * below


def along_meridian(g, n, m, theta, phi, diff_n):
    check("sph_harm_y", diff_n)
    above, below = weights(n, m)
    turn = np.exp(1j * phi)
    upper = sph_harm_y(n, np.add(m, 1), theta, phi)
    lower = sph_harm_y(n, np.subtract(m, 1), theta, phi)
    return np.real(g * conj(above * upper / turn - below * lower * turn))


def along_parallel(g, m, diff_n, out):
    check("sph_harm_y", diff_n)
    return np.real(g * conj(1j * np.multiply(m, out)))


def of_angle(g, n, m, theta, diff_n):
    check("sph_legendre_p", diff_n)
    above, below = weights(n, m)
    upper = sph_legendre_p(n, np.add(m, 1), theta)
    return g * (above * upper - below * sph_legendre_p(n, np.subtract(m, 1), theta))


def associated_back(g, n, m, z, branch_cut, norm, diff_n, out):
    check("assoc_legendre_p", diff_n, norm)
    lower = assoc_legendre_p(np.maximum(np.subtract(n, 1), 0), m, z)
    lower = np.where(np.greater(n, np.abs(m)), lower, 0.0)
    slope = np.add(n, m) * lower - np.multiply(n, z) * out
    return np.sum(g * conj(slope / ((1.0 - z) * (1.0 + z))), axis=0)


def legendre_p(n, z, *, diff_n=0):
    """``scipy.special.legendre_p``: a row for each derivative that is asked for."""
    rows = []
    for k in range(diff_n + 1):
        degree = np.subtract(n, k)
        row = special.eval_gegenbauer(np.maximum(degree, 0), k + 0.5, z)
        factor = math.prod(range(1, 2 * k, 2))
        rows.append(factor * np.where(np.less(degree, 0), 0.0, row))
    return np.stack(rows)


defvjp(special.sph_harm_y, theta=along_meridian, phi=along_parallel)
defvjp(special.sph_legendre_p, theta=of_angle)
defvjp(special.assoc_legendre_p, z=associated_back)
defined_as(special.legendre_p, legendre_p)


# ----- Solutions of differential equations, with their slopes -----
def solution_back(curvature, unit=1.0):
    """The rule of a pair: a solution, and its slope by what is ``unit`` of ``x``."""

    def back(g, out, x, *parameters):
        of_value, of_slope = g
        value, slope = out
        bend = curvature(value, slope, x, *parameters)
        return unit * (of_value * slope + of_slope * bend)

    return back


def even_bend(value, slope, x, m, q):
    return (2.0 * q * np.cos(2.0 * DEGREE * x) - special.mathieu_a(m, q)) * value


def odd_bend(value, slope, x, m, q):
    return (2.0 * q * np.cos(2.0 * DEGREE * x) - special.mathieu_b(m, q)) * value


def modified_even_bend(value, slope, x, m, q):
    return (special.mathieu_a(m, q) - 2.0 * q * np.cosh(2.0 * x)) * value


def modified_odd_bend(value, slope, x, m, q):
    return (special.mathieu_b(m, q) - 2.0 * q * np.cosh(2.0 * x)) * value


def mathieu_rules(bend, unit=1.0):
    back = solution_back(bend, unit)
    return lambda g, m, q, x, out: back(g, out, x, m, q)


defufunc(
    special.mathieu_cem,
    "m, q, x",
    q=function_back(True),
    x=mathieu_rules(even_bend, DEGREE),
)
defufunc(
    special.mathieu_sem,
    "m, q, x",
    q=function_back(False),
    x=mathieu_rules(odd_bend, DEGREE),
)


def modified_in_q(is_even, kind):
    def back(g, m, q, x):
        in_value, in_slope = modified_slopes(is_even, kind, m, q, x)
        return g[0] * in_value + g[1] * in_slope

    return back


for number, kind in ((1, special.jv), (2, special.yv)):
    defufunc(
        getattr(special, f"mathieu_modcem{number}"),
        "m, q, x",
        q=modified_in_q(True, kind),
        x=mathieu_rules(modified_even_bend),
    )
    defufunc(
        getattr(special, f"mathieu_modsem{number}"),
        "m, q, x",
        q=modified_in_q(False, kind),
        x=mathieu_rules(modified_odd_bend),
    )


def prolate_bend(value, slope, x, m, c, cv):
    inner = (1.0 - x) * (1.0 + x)
    rest = cv - c * c * x * x - np.square(m) / inner
    return (2.0 * x * slope - rest * value) / inner


def oblate_bend(value, slope, x, m, c, cv):
    inner = (1.0 - x) * (1.0 + x)
    rest = cv + c * c * x * x - np.square(m) / inner
    return (2.0 * x * slope - rest * value) / inner


def oblate_radial_bend(value, slope, x, m, c, cv):
    outer = 1.0 + x * x
    rest = cv - c * c * x * x - np.square(m) / outer
    return (rest * value - 2.0 * x * slope) / outer


def radial_in_c(sign):
    """A radial function by ``c``; an angular one has the same arguments."""

    def back(g, m, n, c, x):
        in_value, in_slope = radial_slopes(sign, m, n, c, x)
        return g[0] * in_value + g[1] * in_slope

    return back


def angular_in_c(sign):
    def back(g, m, n, c, x, out):
        in_value, in_slope = angular_slopes(sign, m, n, c, x, out)
        return g[0] * in_value + g[1] * in_slope

    return back


def spheroidal(kind, name, bend, in_c):
    """The rules of a function, with the characteristic value and without."""
    back = solution_back(bend)
    value_of = getattr(special, f"{kind}_cv")
    defufunc(
        getattr(special, f"{kind}_{name}"),
        "m, n, c, x",
        c=in_c,
        x=lambda g, m, n, c, x, out: back(g, out, x, m, c, value_of(m, n, c)),
    )
    defufunc(
        getattr(special, f"{kind}_{name}_cv"),
        "m, n, c, cv, x",
        x=lambda g, m, c, cv, x, out: back(g, out, x, m, c, cv),
    )


spheroidal("pro", "ang1", prolate_bend, angular_in_c(1.0))
spheroidal("obl", "ang1", oblate_bend, angular_in_c(-1.0))
spheroidal("pro", "rad1", prolate_bend, radial_in_c(1.0))
spheroidal("obl", "rad1", oblate_radial_bend, radial_in_c(-1.0))


def second_kind(kind, bend, sign):
    """SciPy's values are far off at times: nan where the Wronskian says so."""
    back, first = solution_back(bend), getattr(special, f"{kind}_rad1")

    def checked(g, m, n, c, x, out, cv):
        value, slope = first(m, n, c, x)
        wronskian = c * (x * x + sign) * (value * out[1] - slope * out[0])
        found = back(g, out, x, m, c, cv)
        return np.where(np.abs(wronskian - 1.0) < 1e-6, found, np.nan)

    value_of = getattr(special, f"{kind}_cv")
    defufunc(
        getattr(special, f"{kind}_rad2"),
        "m, n, c, x",
        x=lambda g, m, n, c, x, out: checked(g, m, n, c, x, out, value_of(m, n, c)),
    )
    defufunc(getattr(special, f"{kind}_rad2_cv"), "m, n, c, cv, x", x=checked)


second_kind("pro", prolate_bend, -1.0)
second_kind("obl", oblate_radial_bend, 1.0)


# ----- Modified Fresnel integrals -----
def fresnel_back(sign):
    phase = np.exp(-0.25j * sign * math.pi) / math.sqrt(math.pi)

    def back(g, x, out):
        of_integral, of_scaled = g
        turn = np.exp(1j * sign * x * x)
        slope = -2j * sign * x * out[1] - phase
        return np.real(of_scaled * conj(slope) - of_integral * conj(turn))

    return back


defufunc(special.modfresnelp, "x", x=fresnel_back(1.0))
defufunc(special.modfresnelm, "x", x=fresnel_back(-1.0))
