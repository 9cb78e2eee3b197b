"""Rules for functions that work element by element: NumPy's ufuncs and their like.

A function that is constant between its jumps (``floor``, ``sign``, comparisons) gives a
result that carries no gradient. Where two arguments tie (``maximum``), each gets half.
"""

import cmath
import math

import numpy as np
from numpy._core import umath

from srcgrad.protocols import raw_of
from srcgrad.rules.chosen import Chosen
from srcgrad.rules.complexes import conj, is_complex
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.registry import defconstant, defvjp
from srcgrad.rules.slopes import (
    cosine_of_arcsine,
    hypotenuse,
    over_cosine_of_arcsinh,
    over_one_and_square,
    over_square,
    over_square_of_cosh,
    rest_of_square,
    rising,
    share_of_side,
    share_of_sum,
    sine_of_arccosh,
    sine_of_arccosine,
    slope_of_i0,
    slope_of_sinc,
    steep,
    steep_back,
)
from srcgrad.updates import cast
from srcgrad.valued import valued

LOG_2, LOG_10 = math.log(2.0), math.log(10.0)
DEGREE = math.pi / 180.0


# ----- Arithmetic -----
defvjp(np.positive, x=lambda g: g)
defvjp(np.negative, x=lambda g: -g)
defvjp(np.add, x1=lambda g: g, x2=lambda g: g)
defvjp(np.subtract, x1=lambda g: g, x2=lambda g: -g)
defvjp(
    np.multiply,
    x1=lambda g, x2: g * conj(x2),
    x2=lambda g, x1: g * conj(x1),
)
defvjp(
    np.divide,
    x1=lambda g, x2: g / conj(x2),
    x2=lambda g, x2, out: -(g / conj(x2)) * conj(out),
)
defvjp(np.reciprocal, x=lambda g, out: -g * conj(out) * conj(out))
defvjp(np.square, x=lambda g, x: 2.0 * g * conj(x))
defvjp(np.sqrt, x=lambda g, out: 0.5 * g / conj(out))
defvjp(np.cbrt, x=lambda g, out: g / (3.0 * out * out))


# ----- Powers -----
def power_base(g, x1, x2):
    """The gradient of ``x1 ** x2`` in ``x1``: 0 where ``x2`` is, whatever ``x1`` is."""
    if type(x2) in (int, float):  # a number is a part of the program, no value
        return power_number(g, x1, x2)
    is_flat = (x2 == 0) & ((x1 == 0) | np.isnan(x1))
    base, exponent = np.where(is_flat, 1.0, x1), x2 - 1.0
    slope = x2 * rising(base, exponent, base**exponent)
    if type(raw_of(x2)) is float:  # it keeps the short cuts that operators take
        root = np.sqrt(np.where(x2 == 0.5, x1, 1.0))  # whose slope at -inf is nan
        slope = np.where(x2 == 0.5, 0.5 / root, slope)
    return g * conj(slope)


def power_number(g, x1, n):
    """The gradient of ``x1 ** n``, without NumPy's slow general power where it can."""
    if n == 0:
        return np.zeros_like(g)
    if n == 1:
        return g
    if n == 2:
        return 2.0 * g * conj(x1)
    if n == 0.5:
        return 0.5 * g / conj(np.sqrt(x1))
    if n == -1:
        return -g / conj(x1) / conj(x1)
    is_pythons = type(raw_of(x1)) is float and not is_complex(g)  # which would raise
    slope = np.power(x1, n - 1) if is_pythons else x1 ** (n - 1)
    return n * g * conj(rising(x1, n - 1, slope) if 1 < n < 2 else slope)


def power_exponent(g, x1, out):
    """The gradient of ``x1 ** x2`` in ``x2``: 0 where ``x1`` is, for it stays 0."""
    if type(x1) in (int, float):
        return g * conj(out * logarithm(x1, is_complex(out)))
    base = np.where(x1 == 0, 1.0, x1)
    if is_complex(out) and not is_complex(base):
        base = cast(base, out.dtype)  # a negative number has a logarithm then
    return g * conj(out * np.log(base))


def logarithm(number, as_complex):
    """The logarithm of a base; 0 for 0, which stays 0 whatever the exponent."""
    if not number:
        return 0.0
    return cmath.log(number) if as_complex else float(np.log(number))


for function in (np.power, np.float_power):
    defvjp(function, x1=power_base, x2=power_exponent)
defvjp(steep, x=steep_back, n=lambda g, x, out: power_exponent(g, x, out))


# ----- Exponentials and logarithms -----
defvjp(np.exp, x=lambda g, out: g * conj(out))
defvjp(np.exp2, x=lambda g, out: LOG_2 * g * conj(out))
defvjp(np.expm1, x=lambda g, x: g * conj(np.exp(x)))
defvjp(np.log, x=lambda g, x: g / conj(x))
defvjp(np.log2, x=lambda g, x: g / (LOG_2 * conj(x)))
defvjp(np.log10, x=lambda g, x: g / (LOG_10 * conj(x)))
defvjp(np.log1p, x=lambda g, x: g / (conj(x) + 1.0))
defvjp(
    np.logaddexp,
    x1=lambda g, x1, x2, out: g * share_of_sum(np.exp, np.logaddexp, x1, x2, out),
    x2=lambda g, x1, x2, out: g * share_of_sum(np.exp, np.logaddexp, x2, x1, out),
)
defvjp(
    np.logaddexp2,
    x1=lambda g, x1, x2, out: g * share_of_sum(np.exp2, np.logaddexp2, x1, x2, out),
    x2=lambda g, x1, x2, out: g * share_of_sum(np.exp2, np.logaddexp2, x2, x1, out),
)


# ----- Trigonometric and hyperbolic functions -----
defvjp(np.sin, x=lambda g, x: g * conj(np.cos(x)))
defvjp(np.cos, x=lambda g, x: -g * conj(np.sin(x)))
defvjp(np.tan, x=lambda g, out: g * conj(1.0 + out * out))
defvjp(np.arcsin, x=lambda g, x, out: g / conj(cosine_of_arcsine(x, out)))
defvjp(np.arccos, x=lambda g, x, out: -g / conj(sine_of_arccosine(x, out)))
defvjp(np.arctan, x=over_one_and_square)
defvjp(
    np.arctan2,
    x1=lambda g, x1, x2: over_square(g, x2, np.hypot(x1, x2)),
    x2=lambda g, x1, x2: -over_square(g, x1, np.hypot(x1, x2)),
)
defvjp(
    np.hypot,
    x1=lambda g, x1, x2, out: g * share_of_side(x1, x2, out),
    x2=lambda g, x1, x2, out: g * share_of_side(x2, x1, out),
)
defvjp(np.sinh, x=lambda g, x: g * conj(np.cosh(x)))
defvjp(np.cosh, x=lambda g, x: g * conj(np.sinh(x)))
defvjp(np.tanh, x=over_square_of_cosh)
defvjp(np.arcsinh, x=over_cosine_of_arcsinh)
defvjp(np.arccosh, x=lambda g, x, out: g / conj(sine_of_arccosh(x, out)))
defvjp(np.arctanh, x=lambda g, x: g / conj(rest_of_square(x)))
defvjp(np.sinc, x=lambda g, x: g * conj(slope_of_sinc(x)))
defvjp(
    np.unwrap,
    p=lambda g: g,
    discont=None,
    period=lambda g, p, period, out: g * (out - p) / period,
)
defvjp(np.i0, x=lambda g, x: g * slope_of_i0(x))
for function in (np.deg2rad, np.radians):
    defvjp(function, x=lambda g: g * DEGREE)
for function in (np.rad2deg, np.degrees):
    defvjp(function, x=lambda g: g / DEGREE)


# ----- Choices: where, the larger and the smaller of two, bounds -----
# All of them select with `where`: an infinite or undefined gradient of what was not
# chosen must not come through, as it would by a multiplication with 0.
def shared(g, wins, ties):
    """Half of ``g`` where an argument ties, all of it where it wins otherwise."""
    return Chosen(np.where(ties, 0.5 * g, g), wins)


def clip_back(g, a, a_min, a_max, min, max):
    """The gradient of ``clip`` in ``a``: between the bounds, and on them."""
    low, high = bound(a_min, min), bound(a_max, max)
    if low is None:
        return g if high is None else Chosen(g, np.less_equal(a, high))
    if high is None:
        return Chosen(g, np.greater_equal(a, low))
    return Chosen(g, np.greater_equal(a, low) & np.less_equal(a, high))


def clip_low(g, a, a_min, a_max, min, max):
    low, high = bound(a_min, min), bound(a_max, max)
    if high is None:
        return Chosen(g, np.less(a, low))
    return Chosen(g, np.less(a, low) & np.less(low, high))


def clip_high(g, a, a_min, a_max, min, max):
    low, high = bound(a_min, min), bound(a_max, max)
    if low is None:
        return Chosen(g, np.greater(a, high))
    return Chosen(g, np.greater(a, high) | np.less_equal(high, low))


def bound(positional, keyword):
    return keyword if positional is None else positional


defvjp(
    np.where,
    condition=None,
    x=lambda g, condition: Chosen(g, condition),
    y=lambda g, condition: Chosen(g, condition, is_where=False),
)
defvjp(
    np.maximum,
    x1=lambda g, x1, x2: shared(g, np.greater_equal(x1, x2), x1 == x2),  # complex
    x2=lambda g, x1, x2: shared(g, np.less_equal(x1, x2), x1 == x2),
)
defvjp(
    np.minimum,
    x1=lambda g, x1, x2: shared(g, np.less_equal(x1, x2), x1 == x2),
    x2=lambda g, x1, x2: shared(g, np.greater_equal(x1, x2), x1 == x2),
)
for function in (np.fmax, np.fmin):  # where one argument is nan, the other wins
    defvjp(
        function,
        x1=lambda g, x1, x2, out: shared(g, x1 == out, x1 == x2),
        x2=lambda g, x1, x2, out: shared(g, x2 == out, x1 == x2),
    )
defvjp(
    np.clip, a=clip_back, a_min=clip_low, a_max=clip_high, min=clip_low, max=clip_high
)
defvjp(
    vars(umath)["clip"],  # the ufunc behind np.clip, which NumPy's stubs do not know
    x1=lambda g, x1, x2, x3: clip_back(g, x1, x2, x3, None, None),
    x2=lambda g, x1, x2, x3: clip_low(g, x1, x2, x3, None, None),
    x3=lambda g, x1, x2, x3: clip_high(g, x1, x2, x3, None, None),
)
defvjp(np.heaviside, x1=None, x2=lambda g, x1: np.where(x1 == 0, g, 0.0))


# ----- Size and sign, division with remainder, floating-point parts -----
def absolute_back(g, x):
    """The gradient of ``abs``: the sign, and so 0 at 0."""
    if not is_complex(x):
        return g * np.sign(x)
    # Its results are real; an `out` of complex numbers has room for more.
    return np.real(g) * (x / hypotenuse(np.abs(x)))


def sign_back(g, x, out):
    """A complex sign turns with its argument; a real one is constant."""
    if not is_complex(x):
        return None
    along = np.real(g * np.conjugate(out))
    return (g - along * out) / hypotenuse(np.abs(x))


defvjp(np.absolute, x=absolute_back)
defvjp(np.fabs, x=lambda g, x: g * np.sign(x))
defvjp(np.sign, x=sign_back)
defvjp(
    np.copysign,
    x1=lambda g, x1, x2: g * (np.sign(x1) * np.copysign(1.0, x2)),
    x2=None,
)
defvjp(
    np.remainder,
    x1=lambda g: g,
    x2=lambda g, x1, x2: -g * np.floor_divide(x1, x2),
)
defvjp(np.fmod, x1=lambda g: g, x2=lambda g, x1, x2: -g * np.trunc(x1 / x2))
defvjp(np.divmod, x1=lambda g: g[1], x2=lambda g, out: -g[1] * out[0])
defvjp(np.modf, x=lambda g: g[0])
defvjp(np.frexp, x=lambda g, out: np.ldexp(g[0], -out[1]))
defvjp(np.ldexp, x1=lambda g, x2: np.ldexp(g, x2), x2=None)
defvjp(np.nextafter, x1=lambda g: g, x2=None)


# ----- Complex numbers -----
def real_if_close(a, tol=100):
    """``np.real_if_close``: complex numbers without an imaginary part become real."""
    a = a if hasattr(a, "dtype") else np.asarray(a)
    if not is_complex(a):
        return a
    limit = tol * np.finfo(a.dtype).eps if tol > 1 else tol
    return np.real(a) if np.all(np.abs(np.imag(a)) < limit) else a


def angle_back(g, z, deg):
    """The gradient of ``angle``: across ``z``, and 0 at 0."""
    if not is_complex(z):
        return None
    g = g / DEGREE if deg else g
    return 1j * over_square(g, z, hypotenuse(np.abs(z)))


defvjp(np.conjugate, x=lambda g: conj(g))
defvjp(np.real, val=lambda g: g)
defvjp(np.imag, val=lambda g: 1j * g)
defvjp(np.angle, z=angle_back)
defined_as(np.real_if_close, real_if_close)


# ----- Copies -----
def nan_to_num_back(g, x):
    """What was replaced has no gradient."""
    if not is_complex(x):
        return Chosen(g, np.isfinite(x))
    real = np.where(np.isfinite(np.real(x)), np.real(g), 0.0)
    return real + 1j * np.where(np.isfinite(np.imag(x)), np.imag(g), 0.0)


def limit_back(is_replaced):
    """The gradient of what is put in: of complex numbers, into each part by itself."""

    def back(g, x):
        if not is_complex(x):
            return np.where(is_replaced(x), g, 0.0)
        real = np.where(is_replaced(np.real(x)), np.real(g), 0.0)
        return real + np.where(is_replaced(np.imag(x)), np.imag(g), 0.0)

    return back


defvjp(cast, x=lambda g: g)
defvjp(valued, formula=lambda g: g, value=None)
defvjp(np.copy, a=lambda g: g)
defvjp(
    np.nan_to_num,
    x=nan_to_num_back,
    nan=limit_back(np.isnan),
    posinf=limit_back(np.isposinf),
    neginf=limit_back(np.isneginf),
)
if hasattr(np, "astype"):  # NumPy 2.1
    defvjp(np.astype, x=lambda g: g)


# ----- Results without a gradient: integers, truth values, steps -----
defconstant(
    *(np.floor, np.ceil, np.trunc, np.rint, np.round, np.around, np.fix),
    *(np.floor_divide, np.spacing, np.gcd, np.lcm),
    *(np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal),
    *(np.logical_and, np.logical_or, np.logical_xor, np.logical_not),
    *(np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.bitwise_count, np.invert),
    *(np.left_shift, np.right_shift),
    *(np.isnan, np.isinf, np.isfinite, np.isnat, np.isposinf, np.isneginf, np.signbit),
    *(np.isreal, np.iscomplex, np.isrealobj, np.iscomplexobj),
    *(np.isclose, np.allclose, np.array_equal, np.array_equiv, np.isin),
    *([np.in1d] if hasattr(np, "in1d") else []),
    *(np.argmax, np.argmin, np.nanargmax, np.nanargmin),
    *(np.argsort, np.argpartition, np.lexsort, np.searchsorted, np.digitize),
    *(np.nonzero, np.flatnonzero, np.argwhere, np.count_nonzero),
    *(np.ndim, np.shape, np.size),
    *(np.result_type, np.can_cast, np.min_scalar_type, np.common_type),
    *(np.shares_memory, np.may_share_memory),
)
