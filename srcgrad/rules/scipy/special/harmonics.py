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


def mathieu_bend(value_of, sign, wave, unit=1.0):
    """``value_of``: the characteristic value; ``sign`` is -1 where there are waves."""

    def bend(value, slope, x, m, q):
        return sign * (value_of(m, q) - 2.0 * q * wave(2.0 * unit * x)) * value

    return bend


def mathieu_rules(bend, unit=1.0):
    back = solution_back(bend, unit)
    return lambda g, m, q, x, out: back(g, out, x, m, q)


def of_pair(g, slopes):
    """The cotangent of what moves a value and its slope like this."""
    return g[0] * slopes[0] + g[1] * slopes[1]


def modified_in_q(is_even, kind):
    return lambda g, m, q, x: of_pair(g, modified_slopes(is_even, kind, m, q, x))


for _letter, _is_even, _value_of in (
    ("c", True, special.mathieu_a),
    ("s", False, special.mathieu_b),
):
    _bend = mathieu_bend(_value_of, -1.0, np.cos, DEGREE)
    defufunc(
        getattr(special, f"mathieu_{_letter}em"),
        "m, q, x",
        q=function_back(_is_even),
        x=mathieu_rules(_bend, DEGREE),
    )
    _bend = mathieu_bend(_value_of, 1.0, np.cosh)
    for _number, _kind in ((1, special.jv), (2, special.yv)):
        defufunc(
            getattr(special, f"mathieu_mod{_letter}em{_number}"),
            "m, q, x",
            q=modified_in_q(_is_even, _kind),
            x=mathieu_rules(_bend),
        )


def spheroid_bend(sign):
    """Of prolate ones (1), and of the angular functions of oblate ones (-1)."""

    def bend(value, slope, x, m, c, cv):
        inner = (1.0 - x) * (1.0 + x)
        rest = cv - sign * c * c * x * x - np.square(m) / inner
        return (2.0 * x * slope - rest * value) / inner

    return bend


prolate_bend, oblate_bend = spheroid_bend(1.0), spheroid_bend(-1.0)


def oblate_radial_bend(value, slope, x, m, c, cv):
    outer = 1.0 + x * x
    rest = cv - c * c * x * x - np.square(m) / outer
    return (rest * value - 2.0 * x * slope) / outer


def radial_in_c(sign):
    """A radial function by ``c``; an angular one has the same arguments."""
    return lambda g, m, n, c, x: of_pair(g, radial_slopes(sign, m, n, c, x))


def angular_in_c(sign):
    return lambda g, m, n, c, x, out: of_pair(g, angular_slopes(sign, m, n, c, x, out))


def spheroidal(name, bend, **in_c):
    """The rules of a function, with the characteristic value and without.

    Of the second kind SciPy's values are far off at times: nan where the Wronskian says
    so.
    """
    kind, solution = name.split("_")
    back, value_of = solution_back(bend), getattr(special, f"{kind}_cv")
    first, sign = getattr(special, f"{kind}_rad1"), -1.0 if kind == "pro" else 1.0

    def in_x(g, m, n, c, cv, x, out):
        found = back(g, out, x, m, c, cv)
        if solution != "rad2":
            return found
        value, slope = first(m, n, c, x)
        wronskian = c * (x * x + sign) * (value * out[1] - slope * out[0])
        return np.where(np.abs(wronskian - 1.0) < 1e-6, found, np.nan)

    defufunc(
        getattr(special, name),
        "m, n, c, x",
        x=lambda g, m, n, c, x, out: in_x(g, m, n, c, value_of(m, n, c), x, out),
        **in_c,
    )
    defufunc(getattr(special, f"{name}_cv"), "m, n, c, cv, x", x=in_x)


spheroidal("pro_ang1", prolate_bend, c=angular_in_c(1.0))
spheroidal("obl_ang1", oblate_bend, c=angular_in_c(-1.0))
spheroidal("pro_rad1", prolate_bend, c=radial_in_c(1.0))
spheroidal("obl_rad1", oblate_radial_bend, c=radial_in_c(-1.0))
spheroidal("pro_rad2", prolate_bend)
spheroidal("obl_rad2", oblate_radial_bend)


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
