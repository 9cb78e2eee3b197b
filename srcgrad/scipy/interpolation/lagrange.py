"""``scipy.interpolate``: the polynomial through some points, by these."""

import math

import numpy as np
from scipy import interpolate

from srcgrad.protocols import raw_of
from srcgrad.rules.poly1d import Poly1d
from srcgrad.scipy.interpolation.pieces import floats, moved
from srcgrad.scipy.parameters import refuse
from srcgrad.scipy.replacing import (
    OfVariables,
    is_plain,
    of_variables,
    replace_class,
    replaces,
)


def polynomial(places, values, x):
    """The value at each point, in Lagrange's form; the values' first axis goes."""
    n = np.shape(places)[0]
    others = np.array([[j for j in range(n) if j != i] for i in range(n)], int)
    others = np.reshape(others, (n, n - 1))
    whole = np.prod(places[:, None] - places[others], axis=1)
    parts = np.prod(np.reshape(x, (*np.shape(x), 1, 1)) - places[others], axis=-1)
    weights = parts / whole
    flat = np.reshape(values, (n, -1))
    return np.reshape(weights @ flat, np.shape(x) + np.shape(values)[1:])


def differences(places, values):
    """Newton's coefficients. Where a place repeats, its values are derivatives."""
    raw = raw_of(places)
    found, before = [values[0]], [values[0]]
    for k in range(1, len(raw)):
        repeats = 0
        while repeats < k and raw[k - repeats - 1] == raw[k]:
            repeats += 1
        row = [values[k] / math.factorial(repeats)]
        for i in range(k - repeats):
            last = before[i + 1] if repeats else found[i]
            row.append((last - row[i]) / (places[i] - places[k]))
        found.append(row[k - repeats])
        before = row + before[len(row) :]
    return found


def newtons(places, values):
    """The same as KroghInterpolator keeps them: with a zero behind."""
    found = differences(places, values)
    return np.stack([*found, 0.0 * found[0]])


def derivatives(places, values, x, number):
    """The polynomial and its derivatives at each point, so many of them."""
    coefficients = differences(places, values)
    beside = np.shape(x) + (1,) * (np.ndim(values) - 1)
    zero = np.zeros(np.shape(x) + np.shape(values)[1:])
    terms = [coefficients[-1] + zero] + [zero] * (number - 1)
    for k in range(len(coefficients) - 2, -1, -1):
        apart = np.reshape(x - places[k], beside)
        for j in range(number - 1, 0, -1):
            terms[j] = terms[j] * apart + terms[j - 1]
        terms[0] = terms[0] * apart + coefficients[k]
    return np.stack([math.factorial(j) * term for j, term in enumerate(terms)])


class ByPoints(OfVariables):
    """What these share."""

    MEMBERS = {
        "xi": lambda self: self.data()[0],
        "yi": lambda self: self.data()[1],
        "c": lambda self: newtons(*self.data()),
        "wi": None,
    }

    def hold(self, xi, yi, axis):
        self.own, self.along = (xi, yi), axis
        if self.has_variables and yi is None:
            refuse("interpolate", "of a polynomial whose values come later")
        if not is_plain(xi) and has_repeats(xi):
            refuse("interpolate", "by places that repeat")

    def data(self):
        """The places, and the values with their axis in front."""
        places, values = map(floats, self.own)
        return places, np.moveaxis(values, self.along, 0)

    @of_variables
    def __call__(self, x):
        places, values = self.data()
        x = floats(x)
        if has_repeats(places):
            out = derivatives(places, values, x, 1)[0]
        else:
            out = polynomial(places, values, x)
        return moved(out, np.ndim(x), self.along % np.ndim(values))

    @of_variables
    def derivative(self, x, der=1):
        return self.derivatives(x, der + 1)[der]

    @of_variables
    def derivatives(self, x, der=None):
        places, values = self.data()
        x = floats(x)
        found = derivatives(places, values, x, len(places) if der is None else der)
        axis = self.along % np.ndim(values)
        return np.stack([moved(each, np.ndim(x), axis) for each in found])


def has_repeats(places):
    return bool(len(np.unique(raw_of(places))) < np.shape(places)[0])


@replace_class(interpolate)
class BarycentricInterpolator(ByPoints, interpolate.BarycentricInterpolator):
    """``scipy.interpolate.BarycentricInterpolator``"""


@replace_class(interpolate)
class KroghInterpolator(ByPoints, interpolate.KroghInterpolator):
    """``scipy.interpolate.KroghInterpolator``"""


@replaces(interpolate.barycentric_interpolate)
def barycentric_interpolate(xi, yi, x, axis, der):
    return asked(BarycentricInterpolator(xi, yi, axis), x, der)


@replaces(interpolate.krogh_interpolate)
def krogh_interpolate(xi, yi, x, der, axis):
    return asked(KroghInterpolator(xi, yi, axis), x, der)


def asked(made, x, der):
    """The value, one derivative, or some."""
    if np.ndim(der):
        return made.derivatives(x, max(der) + 1)[np.asarray(der)]
    return made.derivative(x, der) if der else made(x)


# ----- Polynomials as objects of numpy.poly1d -----
@replaces(interpolate.lagrange)
def lagrange(x, w):
    x = floats(x)
    coefficients = differences(x, w)
    found = np.reshape(coefficients[-1], (1,))
    for k in range(len(coefficients) - 2, -1, -1):
        zero = np.zeros(1)
        found = np.concatenate([found, zero]) - x[k] * np.concatenate([zero, found])
        found = np.concatenate([found[:-1], found[-1:] + coefficients[k]])
    return Poly1d(found)


@replaces(interpolate.pade)
def pade(found, an, m, n):
    an = np.stack(an) if isinstance(an, (list, tuple)) else an
    n = np.shape(an)[0] - 1 - m if n is None else n
    order = m + n
    back = np.arange(order + 1)[:, None] - np.arange(1, m + 1)
    below = np.where(back >= 0, -an[np.maximum(back, 0)], 0.0)
    matrix = np.concatenate([np.eye(order + 1, n + 1), below], axis=1)
    found = np.linalg.solve(matrix, an[: order + 1])
    above, under = found[: n + 1], np.concatenate([np.ones(1), found[n + 1 :]])
    return Poly1d(above[::-1]), Poly1d(under[::-1])


@replaces(
    interpolate.approximate_taylor_polynomial,
    is_looking=True,  # for what its function closes over
    is_plain=lambda *args: False,
)
def approximate_taylor_polynomial(f, x, degree, scale, order):
    order = degree if order is None else order
    nodes = np.cos(np.linspace(0.0, np.pi, order + 1, endpoint=False))
    places = scale * nodes + x
    values = f(places)
    if is_plain(places, values):
        return interpolate.approximate_taylor_polynomial(
            lambda _: values, x, degree, scale, order
        )
    found = derivatives(places, values, x, degree + 1)
    factorials = np.array([math.factorial(j) for j in range(degree + 1)], float)
    return Poly1d((found / factorials)[::-1])
