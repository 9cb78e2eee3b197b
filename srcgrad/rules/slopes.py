"""Slopes of elementwise functions that keep their digits, whatever the argument.

What a textbook says of a slope may lose them: ``1 - tanh(x)**2`` where ``tanh(x)`` is
1 but for rounding, ``1 / (1 + x * x)`` where the square is too large for a float. Where
the formula that is exact has a derivative that is not, ``differentiated_as`` says what
to differentiate. Complex numbers have the textbook's.
"""

import numpy as np

from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.rules.complexes import conj, is_complex
from srcgrad.valued import differentiated_as


def largest_exponent(dtype):
    """Of which ``exp`` and ``cosh`` do not overflow.

    >>> largest_exponent(np.float32), largest_exponent(float)
    (88.0, 709.0)
    """
    return float(np.floor(np.log(np.finfo(dtype).max)))


# ----- Powers -----
def rising(x, n, power):
    """``power = x ** n``, whose slope at 0 may be infinite, but times 0 it is 0.

    So it is for the slope of a power above 1 where it is a factor of anything smooth:
    of ``x * x**1.1``, which has the second derivative ``2.31 * x**0.1``.
    """
    return differentiated_as(lambda: steep(x, n), power)


@dispatched
def steep(x, n):
    """The same, as a function that has a rule of its own."""
    return x**n


declare(steep, elementwise=True)


def steep_back(g, x, n):
    x = np.where((n == 0) & (x == 0), 1.0, x)  # a constant, at 0 too
    is_zero = (g == 0) & (x == 0) & (np.real(n) > 0)
    return differentiated_as(
        lambda: g * conj(n * np.power(x, n - 1.0)),
        g * conj(n * np.where(is_zero, 1.0, x) ** (n - 1.0)),
    )


# ----- Hyperbolic functions -----
def cosh_in_range(x):
    """``cosh(x)``, or the largest that does not overflow."""
    largest = largest_exponent(getattr(x, "dtype", float))
    return np.cosh(np.minimum(np.abs(x), largest))


def slope_of_tanh(x):
    """``1 / cosh(x)**2``, which for ``1 - tanh(x)**2`` is 0 where ``tanh(x)`` is 1."""
    if is_complex(x):
        return 1.0 - np.square(np.tanh(x))
    cosh = cosh_in_range(x)
    return differentiated_as(lambda: 1.0 - np.square(np.tanh(x)), 1.0 / cosh / cosh)


def over_square_of_cosh(g, x):
    """``g`` times the slope of ``tanh``: ``cosh`` is at least 1, so all is in range."""
    if is_complex(x):
        return g * conj(slope_of_tanh(x))
    cosh = cosh_in_range(x)
    return differentiated_as(lambda: g * slope_of_tanh(x), g / cosh / cosh)


def over_cosine_of_arcsinh(g, x, out):
    return g / np.conjugate(np.cosh(out)) if is_complex(x) else g / np.hypot(1.0, x)


def sine_of_arccosh(x, out):
    return np.sinh(out) if is_complex(x) else np.sqrt(x - 1.0) * np.sqrt(x + 1.0)


# ----- Trigonometric functions and their inverses -----
def rest_of_square(x):
    """``1 - x * x``, which keeps its digits near -1 and 1."""
    return differentiated_as(lambda: 1.0 - x * x, (1.0 - x) * (1.0 + x))


# Of complex numbers the result tells on which side of a branch cut it is.
def cosine_of_arcsine(x, out):
    return np.cos(out) if is_complex(x) else np.sqrt(rest_of_square(x))


def sine_of_arccosine(x, out):
    return np.sin(out) if is_complex(x) else np.sqrt(rest_of_square(x))


def over_one_and_square(g, x):
    """``g / (1 + x * x)``."""
    if is_complex(x):
        return g / np.conjugate(1.0 + x * x)
    size = np.hypot(1.0, x)
    return g / size / size


def over_square(g, x, size):
    """``g * x / size**2``, whose square might be too large or too small for a float."""
    return g / size * (x / size)


def hypotenuse(out):
    """A divisor that gives 0 where both sides are 0: the subgradient of a norm."""
    return np.where(out == 0, np.inf, out)


def share_of_side(side, other, out):
    """``side / out`` for ``out = hypot(side, other)``."""

    def formula():
        is_long = np.abs(side) > np.abs(other)
        ratio = other / np.where(is_long, side, 1.0)
        long = np.sign(side) / np.sqrt(1.0 + np.where(is_long, ratio, 0.0) ** 2)
        return np.where(is_long, long, side / hypotenuse(out))

    return differentiated_as(formula, side / hypotenuse(out))


# By so many terms a series of 1, s, s**2, ... is exact for s below 1.
SINC_TERMS = tuple(float(2 * k * (2 * k + 3)) for k in range(8, 0, -1))


def slope_of_sinc(x):
    """The slope of ``np.sinc``; its Taylor series near 0, for its slopes too."""
    is_near = np.abs(x) < 0.3
    near, far = np.where(is_near, np.pi * x, 0.0), np.where(is_near, 1.0, x)
    series, square = 1.0, near * near
    for divisor in SINC_TERMS:
        series = 1.0 - square / divisor * series
    # Whole turns are taken off before there is a pi to be rounded.
    angle = np.pi * (far if is_complex(x) else far - 2.0 * np.round(0.5 * far))
    slope = (np.cos(angle) - np.sin(angle) / (np.pi * far)) / far
    return np.where(is_near, -np.pi / 3.0 * near * series, slope)


# ----- Others -----
# Points of a turn, of the first quarter: those of the others have the same terms.
COSINES = np.cos(np.arange(64) * (np.pi / 128.0))
WEIGHTS = np.where(np.arange(64) == 0, 2.0, 4.0) / 256.0 * COSINES


def slope_of_i0(x):
    """The mean of ``cos(t) sinh(x cos(t))`` over a turn, exact with so many points."""
    return np.sum(np.sinh(np.expand_dims(x, -1) * COSINES) * WEIGHTS, axis=-1)


def share_of_sum(power, log_of_sum, x, other, out):
    """``power(x - out)`` for ``out = log_of_sum(x, other)``, of base e or 2."""

    def formula():
        return power(-log_of_sum(0.0, np.where(out == -np.inf, 0.0, other) - x))

    return differentiated_as(formula, power(log_share(x, out)))


def log_share(x, out):
    """``x - out``, for an argument and a result of ``logaddexp``; never inf - inf."""
    return x - np.where(out == -np.inf, 0.0, out)
