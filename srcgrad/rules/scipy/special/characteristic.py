"""Rules for ``scipy.special``: characteristic values, Mathieu's and of spheroids.

In a basis of cosines, or of Legendre's functions, Mathieu's equation and the one of
spheroids are eigenvalue problems of symmetric matrices with few diagonals, ``D + p X``.
The slope of an eigenvalue is ``v' X v``, and that of its vector is in the others.
"""

import math

import numpy as np
from scipy import special

from srcgrad.errors import NoRuleError, located
from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.rules.registry import defconstant, defvjp
from srcgrad.rules.scipy.special.sequences import of_numbers
from srcgrad.rules.scipy.ufuncs import defufunc

MARGIN = 30  # how many more rows than those in which a vector is large
LARGEST = 600


@dispatched
def is_at(number, values):
    """Where the eigenvalue that is meant is; there may be more rows at another call."""
    return np.arange(np.shape(values)[-1]) == np.asarray(number)[..., None]


defconstant(is_at)
declare(is_at)


class Matrices:
    """``D + p X`` for each element, and the number of the eigenvalue that is meant."""

    def __init__(self, constant, of_parameter, number):
        self.constant, self.x, self.number = constant, of_parameter, number

    def vectors(self, parameter):
        """Eigenvalues less the one that is meant; its vector; all; ``X`` in these."""
        whole = self.constant + parameter[..., None, None] * self.x
        values, vectors = np.linalg.eigh(whole)
        place = self.number[..., None, None]
        vector = np.take_along_axis(vectors, place, axis=-1)
        apart = values - np.take_along_axis(values, place[..., 0], axis=-1)
        turned = np.swapaxes(vectors, -1, -2) @ (self.x @ vector)
        return apart, vector[..., 0], vectors, turned[..., 0]

    def slope(self, parameter):
        """Of the eigenvalue, by the parameter."""
        *_, turned = self.vectors(parameter)
        return np.take_along_axis(turned, self.number[..., None], axis=-1)[..., 0]

    def vector_slope(self, parameter):
        """The vector, whose sign is as it comes, and its slope."""
        apart, vector, vectors, turned = self.vectors(parameter)
        own = is_at(self.number, apart)
        parts = np.where(own, 0.0, -turned / np.where(own, 1.0, apart))
        return vector, (vectors @ parts[..., None])[..., 0]


def tridiagonal(diagonal, beside):
    rows = np.arange(np.shape(diagonal)[-1])
    out = np.zeros((*np.shape(diagonal), len(rows)))
    out[..., rows, rows] = diagonal
    out[..., rows[:-1], rows[1:]] = out[..., rows[1:], rows[:-1]] = beside[..., :-1]
    return out


def rows_for(number, reach):
    """As many as it takes, for all elements."""
    inner = np.asarray(number + reach)
    most = np.max(inner[np.isfinite(inner)], initial=0.0)
    size = int(most) + MARGIN
    if size > LARGEST:
        raise located(
            NoRuleError(
                "srcgrad has no derivative of a characteristic value for so large an "
                "order or parameter"
            ),
            f"it would take a matrix of {size} rows",
        )
    return np.arange(float(size))


def finite(x, *others):
    """A number to compute with, and whether it is the one that was given."""
    x, *others = np.broadcast_arrays(x, *others)
    is_known = np.isfinite(x)
    for order in others:  # is a whole number
        is_known = is_known & (order >= 0) & (order == np.floor(order))
    return np.where(is_known, x, 0.0), is_known


# ----- Mathieu's equation -----
@dispatched
def mathieu_matrices(is_even, m, q):
    """Of a function of the order ``m``; and the orders of its cosines or sines."""
    m, q = np.broadcast_arrays(m, q)
    odd = np.asarray(m % 2 == 1)
    number = np.maximum((m - (0 if is_even else 2 - odd)) // 2, 0).astype(int)
    k = rows_for(number, 1.5 * np.sqrt(np.abs(q)))
    at_start, odd = k == 0, odd[..., None]
    order = 2.0 * k + (odd if is_even else 2.0 - odd)  # no sine has the order 0
    of_q = np.where(at_start & odd, 1.0 if is_even else -1.0, 0.0)
    first = np.where(odd | (not is_even), 1.0, math.sqrt(2.0))
    beside = np.where(at_start, first, 1.0)
    constant = tridiagonal(order * order, np.zeros_like(order))
    return constant, tridiagonal(of_q, beside), number, order


def mathieu_slope(is_even):
    """By ``q``, of a characteristic value."""

    def back(g, m, q):
        q, is_known = finite(q, m)
        *matrices, _ = mathieu_matrices(is_even, m, q)
        return g * np.where(is_known, Matrices(*matrices).slope(q), np.nan)

    return back


def coefficients(is_even, m, q):
    """Of a Fourier series, with their slopes and orders; the sign is as it comes."""
    *matrices, order = mathieu_matrices(is_even, m, q)
    scale = np.where(order == 0, math.sqrt(0.5), 1.0)
    vector, slope = Matrices(*matrices).vector_slope(q)
    return scale * vector, scale * slope, order


def coefficients_back(is_even):
    def back(g, m, q, out):
        own, slope, _ = coefficients(is_even, m, 1.0 * q)
        size = min(np.shape(out)[0], np.shape(own)[-1])
        own, slope = own[:size], slope[:size]
        return np.sign(np.sum(own * out[:size])) * np.sum(g[:size] * slope)

    return back


DEGREE = math.pi / 180.0


def function_back(is_even):
    """Of an angular function and its slope, by ``q``."""

    def waves(factors, order, angle):
        cosine, sine = factors * np.cos(angle), factors * np.sin(angle)
        if is_even:
            return np.sum(cosine, axis=-1), -np.sum(order * sine, axis=-1)
        return np.sum(sine, axis=-1), np.sum(order * cosine, axis=-1)

    def back(g, m, q, x, out):
        q, is_known = finite(q, m)
        own, slope, order = coefficients(is_even, m, q)
        angle = order * np.expand_dims(DEGREE * x, -1)
        value, its_slope = waves(own, order, angle)
        sign = np.sign(value * out[0] + its_slope * out[1])
        by_q, slope_by_q = waves(slope, order, angle)
        known = np.where(is_known, sign, np.nan)
        return known * (g[0] * by_q + g[1] * slope_by_q)

    return back


# ----- Spheroids -----
@dispatched
def spheroidal_matrices(m, n, c):
    """The same in normalised Legendre functions, of which ``x ** 2`` couples every two.

    Spheroidal functions are even or odd, so every other function is enough.
    """
    m, n, c = np.broadcast_arrays(m, n, c)
    number = np.maximum((n - m) // 2, 0).astype(int)
    k = rows_for(number, np.abs(c))
    m, odd = m[..., None], ((n - m) % 2)[..., None]
    degree = m + odd + 2.0 * k
    square = degree * (degree + 1.0)
    own = 2.0 * square - 2.0 * m * m - 1.0
    own = own / ((2.0 * degree - 1.0) * (2.0 * degree + 3.0))
    up, further = degree + 1.0, degree + 2.0
    beside = (up * up - m * m) * (further * further - m * m)
    beside = beside / ((2.0 * degree + 1.0) * (2.0 * degree + 5.0))
    beside = np.sqrt(beside) / (2.0 * degree + 3.0)
    constant = tridiagonal(square, np.zeros_like(square))
    return constant, tridiagonal(own, beside), number


def spheroidal_slope(sign, m, n, c):
    """By ``c``: the matrix has ``sign * c ** 2`` in it."""
    c, is_known = finite(c, m, n)
    slope = Matrices(*spheroidal_matrices(m, n, c)).slope(sign * c * c)
    return np.where(is_known, 2.0 * sign * c * slope, np.nan)


def spheroidal_back(sign):
    return lambda g, m, n, c: g * spheroidal_slope(sign, m, n, c)


def sequence_back(sign):
    """Of those of all degrees from ``m`` to ``n``."""
    return lambda g, m, n, c: np.sum(
        g * spheroidal_slope(sign, m, np.arange(m, n + 1.0), c)
    )


for _matrices in (mathieu_matrices, spheroidal_matrices):
    defconstant(_matrices)
    declare(_matrices, shape_by_value=True, raises=True)

# There are as many coefficients as matter.
mathieu_even_coef = of_numbers(special.mathieu_even_coef, shape_by_value=True)
mathieu_odd_coef = of_numbers(special.mathieu_odd_coef, shape_by_value=True)
pro_cv_seq, obl_cv_seq = of_numbers(special.pro_cv_seq), of_numbers(special.obl_cv_seq)

defufunc(special.mathieu_a, "m, q", q=mathieu_slope(True))
defufunc(special.mathieu_b, "m, q", q=mathieu_slope(False))
defvjp(mathieu_even_coef, q=coefficients_back(True))
defvjp(mathieu_odd_coef, q=coefficients_back(False))
defufunc(special.pro_cv, "m, n, c", c=spheroidal_back(1.0))
defufunc(special.obl_cv, "m, n, c", c=spheroidal_back(-1.0))
defvjp(pro_cv_seq, c=sequence_back(1.0))
defvjp(obl_cv_seq, c=sequence_back(-1.0))
