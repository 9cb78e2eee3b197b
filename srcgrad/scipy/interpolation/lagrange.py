"""``scipy.interpolate``: the polynomial through some points, by these.

>>> import srcgrad
>>> from srcgrad.scipy import interpolate
>>> x = srcgrad.Variable(3.0, requires_grad=True)
>>> interpolate.barycentric_interpolate([0.0, 1.0, 2.0], [0.0, 1.0, 4.0], x).backward()
>>> round(x.grad.item(), 6)
6.0
"""

import math
from typing import Any, ClassVar

import numpy as np
from scipy import interpolate

from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.libraries import REPLACEMENTS
from srcgrad.scipy.interpolation.pieces import moved
from srcgrad.scipy.members import WithMembers
from srcgrad.scipy.parameters import refuse


def polynomial(places: Any, values: Any, x: Any) -> Any:
    """The value at each point, in Lagrange's form; the values' first axis goes."""
    n = np.shape(places)[0]
    others = np.array([[j for j in range(n) if j != i] for i in range(n)], int)
    others = np.reshape(others, (n, n - 1))
    whole = np.prod(places[:, None] - places[others], axis=1)
    parts = np.prod(np.reshape(x, (*np.shape(x), 1, 1)) - places[others], axis=-1)
    weights = parts / whole
    flat = np.reshape(values, (n, -1))
    return np.reshape(weights @ flat, np.shape(x) + np.shape(values)[1:])


def differences(places: Any, values: Any) -> list[Any]:
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


def newtons(places: Any, values: Any) -> Any:
    """The same as KroghInterpolator keeps them: with a zero behind."""
    found = differences(places, values)
    return np.stack([*found, 0.0 * found[0]])


def derivatives(places: Any, values: Any, x: Any, number: int) -> Any:
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


class ByPoints(WithMembers):
    """What these share: they are SciPy's without Variables."""

    MEMBERS: ClassVar[Any] = {
        "xi": lambda self: self.data()[0],
        "yi": lambda self: self.data()[1],
        "c": lambda self: newtons(*self.data()),
        "wi": None,
    }

    def __init__(self, xi: Any, yi: Any = None, axis: int = 0, **options: Any) -> None:
        super().__init__(raw_of(xi), raw_of(yi), axis, **options)  # type: ignore[call-arg]
        self.own, self.along = (xi, yi), axis
        has_variables = first_variable((xi, yi)) is not None
        if has_variables and yi is None:
            refuse("interpolate", "of a polynomial whose values come later")
        if first_variable(xi) is not None and has_repeats(xi):
            refuse("interpolate", "by places that repeat")
        self.has_variables = has_variables

    def data(self) -> tuple[Any, Any]:
        """The places, and the values with their axis in front."""
        places, values = (
            item if first_variable(item) is not None else np.asarray(item, float)
            for item in self.own
        )
        return places, np.moveaxis(values, self.along, 0)

    def __call__(self, x: Any) -> Any:
        if not self.has_variables and first_variable(x) is None:
            return super().__call__(x)  # type: ignore[misc]
        places, values = self.data()
        x = x if first_variable(x) is not None else np.asarray(x, float)
        if has_repeats(places):
            out = derivatives(places, values, x, 1)[0]
        else:
            out = polynomial(places, values, x)
        return moved(out, np.ndim(x), self.along % np.ndim(values))

    def derivative(self, x: Any, der: int = 1) -> Any:
        if not self.has_variables and first_variable(x) is None:
            return super().derivative(x, der)  # type: ignore[misc]
        return self.derivatives(x, der + 1)[der]

    def derivatives(self, x: Any, der: Any = None) -> Any:
        if not self.has_variables and first_variable(x) is None:
            return super().derivatives(x, der)  # type: ignore[misc]
        places, values = self.data()
        x = x if first_variable(x) is not None else np.asarray(x, float)
        found = derivatives(places, values, x, len(places) if der is None else der)
        axis = self.along % np.ndim(values)
        return np.stack([moved(each, np.ndim(x), axis) for each in found])


def has_repeats(places: Any) -> bool:
    return bool(len(np.unique(raw_of(places))) < np.shape(places)[0])


class BarycentricInterpolator(ByPoints, interpolate.BarycentricInterpolator):  # type: ignore[misc]
    """``scipy.interpolate.BarycentricInterpolator``"""


class KroghInterpolator(ByPoints, interpolate.KroghInterpolator):  # type: ignore[misc]
    """``scipy.interpolate.KroghInterpolator``"""


def barycentric_interpolate(
    xi: Any, yi: Any, x: Any, axis: int = 0, *, der: Any = 0, rng: Any = None
) -> Any:
    """``scipy.interpolate.barycentric_interpolate``"""
    if first_variable((xi, yi, x)) is None:
        return interpolate.barycentric_interpolate(xi, yi, x, axis, der=der, rng=rng)
    return asked(BarycentricInterpolator(xi, yi, axis), x, der)


def krogh_interpolate(xi: Any, yi: Any, x: Any, der: Any = 0, axis: int = 0) -> Any:
    """``scipy.interpolate.krogh_interpolate``"""
    if first_variable((xi, yi, x)) is None:
        return interpolate.krogh_interpolate(xi, yi, x, der, axis)
    return asked(KroghInterpolator(xi, yi, axis), x, der)


def asked(made: Any, x: Any, der: Any) -> Any:
    """The value, one derivative, or some."""
    if np.ndim(der):
        return made.derivatives(x, max(der) + 1)[np.asarray(der)]
    return made.derivative(x, der) if der else made(x)


for _own in (
    BarycentricInterpolator,
    KroghInterpolator,
    barycentric_interpolate,
    krogh_interpolate,
):
    REPLACEMENTS[getattr(interpolate, _own.__name__)] = _own
