"""``scipy.interpolate``: the polynomial through some points, by these.

>>> import srcgrad
>>> from srcgrad.scipy import interpolate
>>> x = srcgrad.Variable(3.0, requires_grad=True)
>>> interpolate.barycentric_interpolate([0.0, 1.0, 2.0], [0.0, 1.0, 4.0], x).backward()
>>> round(x.grad.item(), 6)
6.0
"""

from typing import Any

import numpy as np
from scipy import interpolate

from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.libraries import REPLACEMENTS
from srcgrad.scipy.parameters import refuse
from srcgrad.scipy.pieces import moved


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


class ByPoints:
    """What these share: they are SciPy's without Variables."""

    def __init__(self, xi: Any, yi: Any = None, axis: int = 0, **options: Any) -> None:
        super().__init__(raw_of(xi), raw_of(yi), axis, **options)  # type: ignore[call-arg]
        self.has_variables = first_variable((xi, yi)) is not None
        self.own, self.along = (xi, yi), axis
        if self.has_variables and yi is None:
            refuse("interpolate", "of a polynomial whose values come later")

    def __call__(self, x: Any) -> Any:
        if not self.has_variables and first_variable(x) is None:
            return super().__call__(x)  # type: ignore[misc]
        places, values = (
            item if first_variable(item) is not None else np.asarray(item, float)
            for item in self.own
        )
        if len(np.unique(raw_of(places))) < len(places):
            refuse("interpolate", "of a polynomial with slopes, at places that repeat")
        if first_variable(x) is None:
            x = np.asarray(x, float)
        axis = self.along % np.ndim(values)
        out = polynomial(places, np.moveaxis(values, axis, 0), x)
        return moved(out, np.ndim(x), axis)

    def derivative(self, x: Any, der: int = 1) -> Any:
        if self.has_variables or first_variable(x) is not None:
            refuse("interpolate", "of a polynomial's `derivative`")
        return super().derivative(x, der)  # type: ignore[misc]

    def derivatives(self, x: Any, der: Any = None) -> Any:
        if self.has_variables or first_variable(x) is not None:
            refuse("interpolate", "of a polynomial's `derivatives`")
        return super().derivatives(x, der)  # type: ignore[misc]


class BarycentricInterpolator(ByPoints, interpolate.BarycentricInterpolator):  # type: ignore[misc]
    """``scipy.interpolate.BarycentricInterpolator``"""


class KroghInterpolator(ByPoints, interpolate.KroghInterpolator):  # type: ignore[misc]
    """``scipy.interpolate.KroghInterpolator`` at places that do not repeat"""


def barycentric_interpolate(
    xi: Any, yi: Any, x: Any, axis: int = 0, *, der: Any = 0, rng: Any = None
) -> Any:
    """``scipy.interpolate.barycentric_interpolate``"""
    if first_variable((xi, yi, x)) is None:
        return interpolate.barycentric_interpolate(xi, yi, x, axis, der=der, rng=rng)
    if np.ndim(der) or der:
        refuse("interpolate.barycentric_interpolate", "with `der`")
    return BarycentricInterpolator(xi, yi, axis)(x)


def krogh_interpolate(xi: Any, yi: Any, x: Any, der: Any = 0, axis: int = 0) -> Any:
    """``scipy.interpolate.krogh_interpolate``"""
    if first_variable((xi, yi, x)) is None:
        return interpolate.krogh_interpolate(xi, yi, x, der, axis)
    if np.ndim(der) or der:
        refuse("interpolate.krogh_interpolate", "with `der`")
    return KroghInterpolator(xi, yi, axis)(x)


for _own in (
    BarycentricInterpolator,
    KroghInterpolator,
    barycentric_interpolate,
    krogh_interpolate,
):
    REPLACEMENTS[getattr(interpolate, _own.__name__)] = _own
