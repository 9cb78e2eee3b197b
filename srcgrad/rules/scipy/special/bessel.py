"""Rules for ``scipy.special``: Bessel, Struve, Airy, Kelvin, parabolic cylinders.

By their order Bessel's have rules at real arguments, the others have none.
"""

import functools
import math

import numpy as np
from scipy import special

from srcgrad.rules.complexes import conj, is_complex
from srcgrad.rules.libraries import reaching
from srcgrad.rules.registry import defvjp
from srcgrad.rules.scipy.special.bessel_orders import (
    hankel_in_v,
    integral_slopes,
    ive_in_v,
    jv_in_v,
    yv_in_v,
)
from srcgrad.rules.scipy.special.holes import apart, near_zero
from srcgrad.rules.scipy.special.orders import scaled_slope
from srcgrad.rules.scipy.special.struve_orders import modstruve_in_v, struve_in_v
from srcgrad.rules.scipy.ufuncs import defufunc, doubled


# ----- Bessel functions: each slope from the neighbours in order -----
def ordinary_back(function):
    """J, Y and Hankel's: half the difference of the neighbours."""

    def back(g, v, z):
        return 0.5 * g * conj(function(v - 1.0, z) - function(v + 1.0, z))

    return back


def order_back(slope):
    """The order is real, whatever the function is."""
    return lambda g, v, z: np.real(g * conj(slope(v, z)))


def modified_back(function, sign):
    """I (sign 1) and K (sign -1): half the sum of the neighbours."""

    def back(g, v, z):
        return (0.5 * sign) * g * conj(function(v - 1.0, z) + function(v + 1.0, z))

    return back


for function, slope in (
    (special.jv, jv_in_v),
    (special.yv, yv_in_v),
    (special.hankel1, functools.partial(hankel_in_v, 1.0)),
    (special.hankel2, functools.partial(hankel_in_v, -1.0)),
):
    defufunc(function, "v, z", v=order_back(slope), z=ordinary_back(function))
defufunc(
    special.iv,
    "v, z",
    v=lambda g, v, z: g * np.exp(z) * ive_in_v(v, z),
    z=modified_back(special.iv, 1.0),
)
defufunc(
    special.kv,
    "v, z",
    v=lambda g, v, z: g * np.exp(-z) * scaled_slope(v, z),
    z=modified_back(special.kv, -1.0),
)
# Of integer order: what is not whole SciPy cuts off.
defufunc(
    special.yn, "n, x", x=lambda g, n, x: ordinary_back(special.yv)(g, np.trunc(n), x)
)
defufunc(
    special.kn,
    "n, x",
    x=lambda g, n, x: modified_back(special.kv, -1.0)(g, np.trunc(n), x),
)
defufunc(special.j0, "x", x=lambda g, x: -g * special.j1(x))
defufunc(special.y0, "x", x=lambda g, x: -g * special.y1(x))
defufunc(special.i0, "x", x=lambda g, x: g * special.i1(x))
defufunc(special.k0, "x", x=lambda g, x: -g * special.k1(x))
defufunc(special.j1, "x", x=lambda g, x: ordinary_back(special.jv)(g, 1.0, x))
defufunc(special.y1, "x", x=lambda g, x: ordinary_back(special.yv)(g, 1.0, x))
defufunc(special.i1, "x", x=lambda g, x: modified_back(special.iv, 1.0)(g, 1.0, x))
defufunc(special.k1, "x", x=lambda g, x: modified_back(special.kv, -1.0)(g, 1.0, x))

# ----- Scaled by an exponential -----
FAR, TERMS = 1e4, 3


def decay(v, z, sign):
    """The slope of the logarithm of ``exp(-z) iv(v, z)`` (sign -1), or of ``kve`` (1).

    By their asymptotic series, for ``z`` far above ``v * v``.
    """
    total, slope, term = 1.0, 0.0, 1.0
    for k in range(1, TERMS + 1):
        term = term * (sign / (8.0 * k) * (4.0 * v * v - (2 * k - 1) ** 2)) / z
        total, slope = total + term, slope - k * term / z
    return slope / total - 0.5 / z


def unless_far(slope, v, z, out, sign, turn=1.0):
    """A slope, or ``out`` times its decay where the terms of that nearly cancel.

    In ``out`` there are more digits than in a result of single precision.
    """
    is_far = np.abs(z) > FAR * (1.0 + v * v)
    far = turn * out * decay(v, np.where(is_far, z, 2.0 * FAR), sign)
    return np.where(is_far, far, slope)


def less_scale(slope, v, z, out):
    turn = np.sign(z)
    return unless_far(slope - turn * out, v, np.abs(z), out, -1.0, turn)


def scaled_down_back(function, sign, part):
    """Scaled by ``exp(-abs(part(z)))``, which for complex ``z`` is not holomorphic."""

    def back(g, v, z):
        out = function(v, z)
        slope = 0.5 * (function(v - 1.0, z) + sign * function(v + 1.0, z))
        if not is_complex(z):
            is_oscillating = part is np.imag
            return g * (slope if is_oscillating else less_scale(slope, v, z, out))
        of_scale = -np.sign(part(z)) * np.real(conj(g) * out)
        return g * conj(slope) + (1j if part is np.imag else 1.0) * of_scale

    return back


def scaled_hankel_order(sign):
    return lambda v, z: hankel_in_v(sign, v, z) * np.exp(-1j * sign * z)


def scaled_hankel_back(function, turn):
    def back(g, v, z):
        out = function(v, z)
        slope = 0.5 * (function(v - 1.0, z) - function(v + 1.0, z))
        return g * conj(unless_far(slope + turn * out, v, z, out, -turn))

    return back


def scaled_kv_back(g, v, z):
    out = special.kve(v, z)
    slope = out - 0.5 * (special.kve(v - 1.0, z) + special.kve(v + 1.0, z))
    return g * conj(unless_far(slope, v, z, out, 1.0))


for function, slope in ((special.jve, jv_in_v), (special.yve, yv_in_v)):
    defufunc(
        function,
        "v, z",
        v=order_back(slope),
        z=scaled_down_back(function, -1.0, np.imag),
    )
defufunc(
    special.ive,
    "v, z",
    v=order_back(ive_in_v),
    z=scaled_down_back(special.ive, 1.0, np.real),
)
defufunc(
    special.kve, "v, z", v=lambda g, v, z: g * scaled_slope(v, z), z=scaled_kv_back
)
for function, sign in ((special.hankel1e, 1.0), (special.hankel2e, -1.0)):
    defufunc(
        function,
        "v, z",
        v=order_back(scaled_hankel_order(sign)),
        z=scaled_hankel_back(function, -1j * sign),
    )
defufunc(
    special.i0e,
    "x",
    x=lambda g, x: g * less_scale(special.i1e(x), 0.0, x, special.i0e(x)),
)
defufunc(
    special.i1e,
    "x",
    x=lambda g, x: scaled_down_back(special.ive, 1.0, np.real)(g, 1.0, x),
)
defufunc(special.k0e, "x", x=lambda g, x: scaled_kv_back(g, 0.0, x))
defufunc(special.k1e, "x", x=lambda g, x: scaled_kv_back(g, 1.0, x))


# ----- Spherical Bessel functions -----
def spherical_back(function, of_lower, of_higher):
    """Of a function, and of its derivative: by the neighbours in order, at 0 too."""
    reached = reaching(function)

    def back(g, n, z, derivative):
        z = doubled(z)
        lower = np.multiply(n, reached(np.maximum(np.subtract(n, 1), 0), z, derivative))
        higher = np.add(n, 1) * reached(np.add(n, 1), z, derivative)
        slope = (of_lower * lower + of_higher * higher) / (2.0 * np.add(n, 0.5))
        return g * conj(slope)

    return back


for function, signs in (
    (special.spherical_jn, (1.0, -1.0)),
    (special.spherical_yn, (1.0, -1.0)),
    (special.spherical_in, (1.0, 1.0)),
    (special.spherical_kn, (-1.0, -1.0)),
):
    defvjp(function, z=spherical_back(function, *signs))


# ----- Struve functions -----
def struve_term(v, x):
    return np.power(0.5 * x, v) * special.rgamma(v + 1.5) / math.sqrt(math.pi)


def struve_back(function, sign):
    def back(g, v, x):
        higher, term = sign * function(v + 1.0, x), struve_term(v, x)
        # Below 0 the slope of the lower one is infinite at 0, where this one's is not.
        is_first = np.equal(v, 0.0)
        lower = function(np.where(is_first, 1.0, v - 1.0), x)
        lower = np.where(is_first, higher + term, lower)
        return 0.5 * g * (lower + higher + term)

    return back


def struve_order_back(slope):
    return lambda g, v, x: g * slope(v, x)


for function, sign, slope in (
    (special.struve, -1.0, struve_in_v),
    (special.modstruve, 1.0, modstruve_in_v),
):
    back = struve_back(function, sign)
    defufunc(function, "v, x", v=struve_order_back(slope), x=back)


# ----- Integrals of them -----
def of_pair(first, second):
    """Two integrals: the cotangents times the integrands."""
    return lambda g, x: g[0] * first(x) + g[1] * second(apart(x, g[1]))


BESSEL_SERIES = [0.25 ** (n + 1) / math.factorial(n + 1) ** 2 for n in range(8)]


def rise_of_bessel(sign, x):
    """``(iv(0, x) - 1) / x``, and of ``jv`` with the sign -1."""
    function = special.i0 if sign > 0 else special.j0
    coefficients = [sign ** (n + 1) * c for n, c in enumerate(BESSEL_SERIES)]
    return x * near_zero(
        x, coefficients, lambda x: (function(x) - 1.0) / (x * x), is_even=True
    )


defufunc(special.itj0y0, "x", x=of_pair(special.j0, special.y0))
defufunc(special.iti0k0, "x", x=of_pair(special.i0, special.k0))
defufunc(
    special.it2j0y0,
    "x",
    x=of_pair(lambda x: -rise_of_bessel(-1.0, x), lambda x: -special.y0(x) / x),
)
defufunc(
    special.it2i0k0,
    "x",
    x=of_pair(lambda x: rise_of_bessel(1.0, x), lambda x: -special.k0(x) / x),
)


def struve_ratio(x):
    is_zero = np.equal(x, 0.0)
    x = np.where(is_zero, 1.0, x)
    return np.where(is_zero, 2.0 / np.pi, special.struve(0.0, x) / x)


defufunc(special.itstruve0, "x", x=lambda g, x: g * special.struve(0.0, x))
defufunc(special.it2struve0, "x", x=lambda g, x: -g * struve_ratio(x))
defufunc(special.itmodstruve0, "x", x=lambda g, x: g * special.modstruve(0.0, x))


def besselpoly_back(g, a, lmb, nu, out):
    """Of the integral of ``x ** lmb * jv(nu, 2 * a * x)`` from 0 to 1."""
    is_start = a == 0
    of_power = nu * out / np.where(is_start, 1.0, a)
    at_start = np.where(nu == 1, 1.0 / (lmb + 2.0), 0.0)
    fall = 2.0 * special.besselpoly(a, lmb + 1.0, nu + 1.0)
    return g * (np.where(is_start, at_start, of_power) - fall)


defufunc(
    special.besselpoly,
    "a, lmb, nu",
    a=besselpoly_back,
    lmb=lambda g, a, lmb, nu: g * integral_slopes(a, lmb, nu)[0],
    nu=lambda g, a, lmb, nu: g * integral_slopes(a, lmb, nu)[1],
)


# ----- Airy -----
def airy_back(g, z, out):
    of_a, of_a_slope, of_b, of_b_slope = g
    a, a_slope, b, b_slope = (conj(each) for each in out)
    z = conj(z)
    return of_a * a_slope + of_a_slope * z * a + of_b * b_slope + of_b_slope * z * b


def integrated_airy_back(g, x):
    right, left = special.airy(x), special.airy(-x)
    return g[0] * right[0] + g[1] * right[2] + g[2] * left[0] + g[3] * left[2]


AIRY_FAR = 600.0


def scaled_airy_back(g, z):
    """Of a real number: the scale is exp(2/3 z**1.5), and 1 below 0."""
    if is_complex(z):
        raise NotImplementedError("srcgrad has a derivative of airye at real `z` only")
    is_far = z > AIRY_FAR
    root = np.sqrt(np.where(z > 0, z, 0.0))
    a, a_slope, b, b_slope = special.airye(z)

    def unless_far(slope, each, i, sign):
        # Bessel functions of a third, and of two, in 2/3 z**1.5, of which each is one.
        point = np.where(is_far, z, 2.0 * AIRY_FAR)
        bessel = decay(i / 3.0, point**1.5 / 1.5, sign) * np.sqrt(point)
        return np.where(is_far, each * (0.5 * i / point + bessel), slope)

    back = g[2] * unless_far(b_slope - root * b, b, 1.0, -1.0)
    back = back + g[3] * unless_far(z * b - root * b_slope, b_slope, 2.0, -1.0)
    first = g[0] * unless_far(a_slope + root * a, a, 1.0, 1.0)
    first = first + g[1] * unless_far(z * a + root * a_slope, a_slope, 2.0, 1.0)
    # The first two are nan below 0, where they are complex.
    first = first * np.where(np.less(z, 0), np.nan, 1.0)
    return back + np.where((g[0] == 0) & (g[1] == 0), 0.0, first)


defufunc(special.airy, "z", z=airy_back)
defufunc(special.airye, "z", z=scaled_airy_back)
defufunc(special.itairy, "x", x=integrated_airy_back)


# ----- Kelvin: the pairs solve one equation of second order -----
def kelvin_slope(sign, other, slope):
    """The second derivative of one of a pair, from the other's value."""
    return lambda g, x: g * (sign * other(x) - slope(x) / x)


def kelvin_slope_of_first(sign, other, slope):
    """That of ``ber`` and ``bei``, which have one at 0."""

    def back(g, x):
        is_zero = np.equal(x, 0.0)
        second = sign * other(x) - slope(x) / np.where(is_zero, 1.0, x)
        return g * np.where(is_zero, 0.5 * sign * other(x), second)

    return back


def kelvin_back(g, x):
    of_be, of_ke, of_be_slope, of_ke_slope = g
    _, _, be_slope, ke_slope = special.kelvin(x)
    be, ke = special.kelvin(x)[:2]
    be_second, ke_second = 1j * be - be_slope / x, 1j * ke - ke_slope / x
    return np.real(
        of_be * conj(be_slope)
        + of_ke * conj(ke_slope)
        + of_be_slope * conj(be_second)
        + of_ke_slope * conj(ke_second)
    )


defufunc(special.ber, "x", x=lambda g, x: g * special.berp(x))
defufunc(special.bei, "x", x=lambda g, x: g * special.beip(x))
defufunc(special.ker, "x", x=lambda g, x: g * special.kerp(x))
defufunc(special.kei, "x", x=lambda g, x: g * special.keip(x))
defufunc(special.berp, "x", x=kelvin_slope_of_first(-1.0, special.bei, special.berp))
defufunc(special.beip, "x", x=kelvin_slope_of_first(1.0, special.ber, special.beip))
defufunc(special.kerp, "x", x=kelvin_slope(-1.0, special.kei, special.kerp))
defufunc(special.keip, "x", x=kelvin_slope(1.0, special.ker, special.keip))
defufunc(special.kelvin, "x", x=kelvin_back)
