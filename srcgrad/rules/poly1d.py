"""``np.poly1d`` of coefficients that are Variables.

>>> import srcgrad
>>> srcgrad.grad(lambda a: (np.poly1d([a, 1.0]) ** 2).deriv()(3.0))(2.0)
26.0
"""

import functools
import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from srcgrad.protocols import ArrayProtocol, raw_of


class Poly1d(np.poly1d):
    """A polynomial whose coefficients, highest power first, are a Variable."""

    def __init__(self, coefficients: Any, variable: str | None = None) -> None:
        plain = np.trim_zeros(raw_of(coefficients)[:-1], "f")  # as poly1d itself
        super().__init__(raw_of(coefficients), variable=variable)
        first = np.shape(coefficients)[0] - 1 - len(plain)
        self.__dict__["own"] = coefficients[first:]

    coeffs = c = coef = coefficients = property(lambda self: self.__dict__["own"])

    def __call__(self, x: Any) -> Any:
        return np.polyval(self.coeffs, x)

    def __getitem__(self, power: int) -> Any:
        return self.coeffs[::-1][power] if 0 <= power <= self.order else 0.0

    def __iter__(self) -> Iterator[Any]:
        return iter(self.coeffs)

    def deriv(self, m: Any = 1) -> "Poly1d":
        return Poly1d(np.polyder(self.coeffs, m))

    def integ(self, m: Any = 1, k: Any = 0) -> "Poly1d":
        return Poly1d(np.polyint(self.coeffs, m, k))

    @property
    def roots(self) -> Any:
        return np.roots(self.coeffs)

    r = roots

    def __add__(self, other: Any) -> "Poly1d":
        return Poly1d(np.polyadd(self.coeffs, coefficients_of(other)))

    def __sub__(self, other: Any) -> "Poly1d":
        return Poly1d(np.polysub(self.coeffs, coefficients_of(other)))

    def __mul__(self, other: Any) -> "Poly1d":
        return Poly1d(np.polymul(self.coeffs, coefficients_of(other)))

    def __neg__(self) -> "Poly1d":
        return Poly1d(-self.coeffs)

    def __pow__(self, power: Any) -> Any:
        np.poly1d([1.0]) ** power  # or NumPy's error
        factors = [self] * int(power)
        return functools.reduce(operator.mul, factors) if factors else np.poly1d([1])

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, np.poly1d):
            return tuple(map(Poly1d, np.polydiv(self.coeffs, other.coeffs)))
        return Poly1d(self.coeffs / other)

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other: Any) -> "Poly1d":
        return Poly1d(np.polysub(coefficients_of(other), self.coeffs))


def coefficients_of(other: Any) -> Any:
    """Those of another operand: a number is a polynomial, too."""
    return other.coeffs if isinstance(other, np.poly1d) else np.atleast_1d(other)


def poly1d(c_or_r: Any, r: bool = False, variable: str | None = None) -> np.poly1d:
    """``np.poly1d`` of coefficients, or of roots, that are Variables."""
    if isinstance(c_or_r, np.poly1d):
        return c_or_r if isinstance(c_or_r, Poly1d) else np.poly1d(c_or_r)
    found = np.poly(c_or_r) if r else np.atleast_1d(c_or_r)
    is_plain = not isinstance(found, ArrayProtocol)
    return np.poly1d(found, variable=variable) if is_plain else Poly1d(found, variable)
