"""``scipy.interpolate``: polynomials between breakpoints, and what all splines share.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import interpolate
>>> c = srcgrad.Variable(np.array([[1.0], [2.0]]), requires_grad=True)
>>> interpolate.PPoly(c, [0.0, 1.0]).integrate(0.0, 1.0).backward()
>>> c.grad.data.tolist()
[[0.5], [1.0]]
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import interpolate

from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.libraries import REPLACEMENTS
from srcgrad.scipy.parameters import refuse

# What else SciPy's splines do with their coefficients; of Variables it would lose them.
REFUSED = ("extend", "insert_knot")

# What they are made of, by the names in SciPy's objects and in ours.
HELD = {"c": "coefficients", "t": "knots", "x": "breaks"}


class Pieces:
    """Polynomials between breakpoints, their coefficients (highest first) Variables."""

    def __init__(self, breaks: Any, coefficients: Any) -> None:
        self.breaks, self.coefficients = breaks, coefficients

    def __call__(self, x: Any, nu: int = 0) -> Any:
        """The value, or derivative number ``nu``, at each point."""
        c, last = self.coefficients, len(self.breaks) - 2
        place = np.searchsorted(raw_of(self.breaks), raw_of(x), "right") - 1
        index = np.clip(place, 0, last)
        ndim = np.ndim(c) - 2
        apart = np.reshape(x - self.breaks[index], np.shape(x) + (1,) * ndim)
        degree = np.shape(c)[0] - 1
        out = np.zeros_like(raw_of(apart)) + 0.0 * c[0][index]
        for k in range(degree - nu + 1):
            factor = np.prod(np.arange(degree - k - nu + 1, degree - k + 1))
            out = out * apart + factor * c[k][index]
        return out

    def derivative(self, nu: int = 1) -> "Pieces":
        c = self.coefficients
        for _ in range(nu):
            powers = np.arange(np.shape(c)[0] - 1, 0, -1.0)
            if not powers.size:
                return Pieces(self.breaks, 0.0 * c)
            c = c[:-1] * in_first(powers, c)
        return Pieces(self.breaks, c)

    def antiderivative(self, nu: int = 1) -> "Pieces":
        c, width = self.coefficients, np.diff(self.breaks)
        for _ in range(nu):
            c = c / in_first(np.arange(np.shape(c)[0], 0, -1.0), c)
            whole = 0.0 * c[0]
            for term in c:
                whole = (whole + term) * in_first(width, c[0])
            sums = np.cumsum(whole[:-1], axis=0)
            starts = np.concatenate([np.zeros_like(raw_of(whole[:1])), sums])
            c = np.concatenate([c, starts[None]])
        return Pieces(self.breaks, c)


def in_first(values: Any, like: Any) -> Any:
    """A vector along the first axis of something."""
    return np.reshape(values, (-1,) + (1,) * (np.ndim(like) - 1))


def moved(out: Any, ndim: int, axis: int) -> Any:
    """Put the axes of the points, which come first, where the values' axis was."""
    places = range(axis, axis + ndim)
    return np.moveaxis(out, range(ndim), places) if axis else out


class Differentiable:
    """What splines share: they are SciPy's, until a Variable comes in."""

    pieces: Any
    axis: Any
    extrapolate: Any
    has_variables = False

    def __getattribute__(self, name: str) -> Any:
        if name in REFUSED and object.__getattribute__(self, "has_variables"):
            refuse(f"interpolate.{type(self).__name__}", f"by its method {name!r}")
        if name in HELD and object.__getattribute__(self, "has_variables"):
            return getattr(self.known, HELD[name])
        return super().__getattribute__(name)

    def hold(self, way: Callable[[], Any], variables: Any) -> None:
        """Remember how the polynomials are made, and whether Variables are in them."""
        self.way = way  # type: ignore[method-assign]
        self.has_variables = first_variable(variables) is not None

    def way(self) -> Any:
        """The polynomials, of what SciPy's object holds."""
        return Pieces(self.x, self.c)

    @property
    def known(self) -> Any:
        """The polynomials, made when they are asked for first."""
        if "pieces" not in vars(self):
            self.pieces = self.way()
        return self.pieces

    def __call__(self, x: Any, nu: int = 0, extrapolate: Any = None) -> Any:
        if not self.has_variables and first_variable(x) is None:
            return super().__call__(x, nu, extrapolate)  # type: ignore[misc]
        x = np.asarray(x, float) if first_variable(x) is None else x
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        low, high = self.known.breaks[0], self.known.breaks[-1]
        if extrapolate == "periodic":
            x = low + (x - low) % (high - low)
        out = self.known(x, nu)
        if not extrapolate:
            point = raw_of(x)
            inside = (raw_of(low) <= point) & (point <= raw_of(high))
            inside = np.reshape(
                inside, np.shape(inside) + (1,) * (np.ndim(out) - np.ndim(x))
            )
            out = np.where(inside, out, np.nan)
        return moved(out, np.ndim(x), self.axis)

    def derivative(self, nu: int = 1) -> Any:
        if not self.has_variables:
            return super().derivative(nu)  # type: ignore[misc]
        return Derived(self.known.derivative(nu), self)

    def antiderivative(self, nu: int = 1) -> Any:
        if not self.has_variables:
            return super().antiderivative(nu)  # type: ignore[misc]
        return Derived(self.known.antiderivative(nu), self)

    def integrate(self, a: Any, b: Any, extrapolate: Any = None) -> Any:
        if not self.has_variables and first_variable((a, b)) is None:
            return super().integrate(a, b, extrapolate)  # type: ignore[misc]
        chosen = self.extrapolate if extrapolate is None else extrapolate
        if chosen == "periodic":
            refuse(f"interpolate.{type(self).__name__}", "as an integral over periods")
        whole = Derived(self.known.antiderivative(), self)
        return whole(b, 0, chosen) - whole(a, 0, chosen)

    def solve(
        self, y: Any = 0.0, discontinuity: bool = True, extrapolate: Any = None
    ) -> Any:
        if not self.has_variables and first_variable(y) is None:
            return super().solve(y, discontinuity, extrapolate)  # type: ignore[misc]
        known = self.known
        if np.ndim(known.coefficients) > 2:
            refuse(f"interpolate.{type(self).__name__}", "by the roots of several")
        chosen = self.extrapolate if extrapolate is None else extrapolate
        raw = interpolate.PPoly(
            raw_of(known.coefficients), raw_of(known.breaks), chosen
        )
        found = raw.solve(raw_of(y), discontinuity)
        if not np.allclose(raw(found), raw_of(y)):
            refuse(f"interpolate.{type(self).__name__}", "by the roots at its jumps")
        return polished(known, found, y)

    def roots(self, discontinuity: bool = True, extrapolate: Any = None) -> Any:
        return self.solve(0.0, discontinuity, extrapolate)


def polished(known: Any, x: Any, y: Any) -> Any:
    """Places where a function is ``y``, by two of Newton's steps, which go nowhere.

    They have the slope of the places, and the slope's.
    """
    for _ in range(2):
        x = x - (known(x) - y) / known(x, 1)
    return x


class Derived(Differentiable):
    """A derivative or an integral of a spline of Variables."""

    has_variables = True

    def __init__(self, pieces: Any, of: Differentiable) -> None:
        self.pieces, self.axis, self.extrapolate = pieces, of.axis, of.extrapolate


class PPoly(Differentiable, interpolate.PPoly):  # type: ignore[misc]
    """``scipy.interpolate.PPoly``"""

    def __init__(self, c: Any, x: Any, extrapolate: Any = None, axis: int = 0) -> None:
        super().__init__(raw_of(c), raw_of(x), extrapolate, axis)
        if axis:  # the axes of the pieces come first
            c = np.moveaxis(c, (axis, axis + 1), (0, 1))
        self.hold(lambda: Pieces(np.asarray(x) if type(x) is list else x, c), (c, x))


class BPoly(Differentiable, interpolate.BPoly):  # type: ignore[misc]
    """``scipy.interpolate.BPoly``: Bernstein's polynomials, as powers"""

    def __init__(self, c: Any, x: Any, extrapolate: Any = None, axis: int = 0) -> None:
        super().__init__(raw_of(c), raw_of(x), extrapolate, axis)
        if axis:
            c = np.moveaxis(c, (axis, axis + 1), (0, 1))
        self.hold(lambda: powers(c, np.asarray(x) if type(x) is list else x), (c, x))

    def way(self) -> Any:
        return powers(self.c, self.x)

    def __getattribute__(self, name: str) -> Any:
        if name in ("c", "roots", "solve") and object.__getattribute__(
            self, "has_variables"
        ):
            refuse("interpolate.BPoly", f"by its {name!r}")
        return super().__getattribute__(name)


def powers(c: Any, x: Any) -> Pieces:
    """The same polynomials by their powers: each is a sum of Bernstein's."""
    k = np.shape(c)[0] - 1
    change = np.array(
        [
            [
                (-1.0) ** (j - i) * math.comb(k, j) * math.comb(j, i) if i <= j else 0.0
                for i in range(k + 1)
            ]
            for j in range(k, -1, -1)
        ]
    )
    width = np.reshape(np.diff(x), (1, -1) + (1,) * (np.ndim(c) - 2))
    exponents = np.reshape(np.arange(k, -1, -1), (-1,) + (1,) * (np.ndim(c) - 1))
    return Pieces(x, np.tensordot(change, c, 1) / width**exponents)


for _own in (PPoly, BPoly):
    REPLACEMENTS[getattr(interpolate, _own.__name__)] = _own
