"""``scipy.interpolate``: splines, by their values and by the point.

A spline's coefficients are linear in its values, so SciPy's own construction on the
columns of the unit matrix says how. The places of the values carry no gradient.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import interpolate
>>> x = srcgrad.Variable(1.5, requires_grad=True)
>>> spline = interpolate.CubicSpline(np.arange(5.0), np.arange(5.0) ** 2)
>>> spline(x).backward()
>>> round(x.grad.item(), 6)
3.0
"""

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import interpolate

from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.libraries import REPLACEMENTS
from srcgrad.scipy.parameters import refuse

# What else SciPy's splines do with their coefficients; of Variables it would lose them.
REFUSED = ("derivative", "antiderivative", "integrate", "solve", "roots")


# How SciPy makes polynomials of values and conditions at the ends.
Make = Callable[[Any, Any], Any]


def without_values(bc_type: Any, shape: tuple[int, ...]) -> Any:
    """The same conditions at the ends, with derivatives that are zero there."""
    if not isinstance(bc_type, (tuple, list)):
        return bc_type
    return tuple(
        end
        if isinstance(end, str)
        else [(order, np.zeros(shape)) for order, _ in pairs(end)]
        for end in bc_type
    )


def pairs(end: Any) -> list[Any]:
    """Conditions at an end: of CubicSpline it is one, of make_interp_spline a list."""
    return [end] if isinstance(end[0], (int, np.integer)) else list(end)


class Pieces:
    """Polynomials between breakpoints, their coefficients (highest first) Variables."""

    def __init__(self, breaks: Any, coefficients: Any) -> None:
        self.breaks, self.coefficients = breaks, coefficients

    @classmethod
    def of_values(cls, make: Make, y: Any, bc_type: Any = None) -> "Pieces":
        """The spline that ``make`` makes of unit vectors, for the values in ``y``."""
        shape = np.shape(y)
        unit = np.eye(shape[0])
        if bc_type == "periodic":  # the first and the last value are one
            unit = unit[:, :-1] + unit[:, -1:] * (np.arange(shape[0] - 1) == 0)
            y = np.concatenate([0.5 * (y[:1] + y[-1:]), y[1:-1]])
        made = make(unit, without_values(bc_type, unit.shape[1:]))
        coefficients = np.tensordot(made.c, y, 1)
        if isinstance(bc_type, (tuple, list)):
            coefficients = coefficients + make(np.zeros(shape), bc_type).c
        return cls(made.x, coefficients)

    def __call__(self, x: Any, nu: int = 0) -> Any:
        """The value, or derivative number ``nu``, at each point."""
        c, last = self.coefficients, len(self.breaks) - 2
        index = np.clip(np.searchsorted(self.breaks, raw_of(x), "right") - 1, 0, last)
        ndim = np.ndim(c) - 2
        apart = np.reshape(x - self.breaks[index], np.shape(x) + (1,) * ndim)
        degree = np.shape(c)[0] - 1
        out = np.zeros_like(raw_of(apart)) + 0.0 * c[0][index]
        for k in range(degree - nu + 1):
            factor = np.prod(np.arange(degree - k - nu + 1, degree - k + 1))
            out = out * apart + factor * c[k][index]
        return out


def moved(out: Any, ndim: int, axis: int) -> Any:
    """Put the axes of the points, which come first, where the values' axis was."""
    places = range(axis, axis + ndim)
    return np.moveaxis(out, range(ndim), places) if axis else out


class Differentiable:
    """What the splines below share: they are SciPy's, until a Variable comes in."""

    pieces: Pieces
    way: Callable[[], Pieces]
    axis: Any
    extrapolate: Any
    has_variables = False

    def __getattribute__(self, name: str) -> Any:
        if name in REFUSED and object.__getattribute__(self, "has_variables"):
            refuse(f"interpolate.{type(self).__name__}", f"by its method {name!r}")
        return super().__getattribute__(name)

    def prepare(self, make: Make, y: Any, axis: int, bc_type: Any) -> None:
        """Remember the values as they came."""
        self.has_variables = first_variable(y) is not None
        self.first = axis % np.ndim(y)
        moved = np.moveaxis(y, axis, 0)
        self.way = functools.partial(Pieces.of_values, make, moved, bc_type)

    def __call__(self, x: Any, nu: int = 0, extrapolate: Any = None) -> Any:
        if not self.has_variables and first_variable(x) is None:
            return super().__call__(x, nu, extrapolate)  # type: ignore[misc]
        if not hasattr(self, "pieces"):
            self.pieces = self.way()
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        low, high = self.pieces.breaks[0], self.pieces.breaks[-1]
        if extrapolate == "periodic":
            x = low + (x - low) % (high - low)
        out = self.pieces(x, nu)
        if not extrapolate:
            point = raw_of(x)
            inside = (low <= point) & (point <= high)
            inside = np.reshape(
                inside, np.shape(inside) + (1,) * (np.ndim(out) - np.ndim(x))
            )
            out = np.where(inside, out, np.nan)
        return moved(out, np.ndim(x), self.first)


class CubicSpline(Differentiable, interpolate.CubicSpline):  # type: ignore[misc]
    """``scipy.interpolate.CubicSpline``"""

    def __init__(
        self,
        x: Any,
        y: Any,
        axis: int = 0,
        bc_type: Any = "not-a-knot",
        extrapolate: Any = None,
    ) -> None:
        def make(values: Any, bc_type: Any) -> Any:
            return interpolate.CubicSpline(x, values, 0, single(bc_type), extrapolate)

        refuse_places("CubicSpline", x)
        super().__init__(x, raw_of(y), axis, bc_type, extrapolate)
        self.prepare(make, y, axis, bc_type)


def single(bc_type: Any) -> Any:
    """The conditions as CubicSpline takes them: one at an end."""
    if not isinstance(bc_type, (tuple, list)):
        return bc_type
    return tuple(end if isinstance(end, str) else pairs(end)[0] for end in bc_type)


class BSpline(Differentiable, interpolate.BSpline):  # type: ignore[misc]
    """The ``scipy.interpolate.BSpline`` of ``make_interp_spline``"""


def make_interp_spline(
    x: Any,
    y: Any,
    k: int = 3,
    t: Any = None,
    bc_type: Any = None,
    axis: int = 0,
    check_finite: bool = True,
) -> Any:
    """``scipy.interpolate.make_interp_spline``"""
    refuse_places("make_interp_spline", x)
    found = interpolate.make_interp_spline(
        x, raw_of(y), k, t, bc_type, axis, check_finite
    )
    spline = BSpline.construct_fast(
        found.t, found.c, found.k, found.extrapolate, found.axis
    )
    spline.prepare(polynomials(x, k, t), y, axis, bc_type)
    return spline


def refuse_places(name: str, x: Any) -> None:
    if first_variable(x) is not None:
        refuse(f"interpolate.{name}", "by the places of the values, `x`")


class interp1d(interpolate.interp1d):  # type: ignore[misc]  # noqa: N801 (SciPy's)
    """``scipy.interpolate.interp1d``"""

    def __init__(
        self,
        x: Any,
        y: Any,
        kind: Any = "linear",
        axis: int = -1,
        copy: bool = True,
        bounds_error: Any = None,
        fill_value: Any = np.nan,
        assume_sorted: bool = False,
    ) -> None:
        refuse_places("interp1d", x)
        options = (axis, copy, bounds_error, fill_value, assume_sorted)
        super().__init__(x, raw_of(y), kind, *options)
        self.of_variables = first_variable(y) is not None
        places = np.asarray(x, float)
        order = np.arange(len(places)) if assume_sorted else np.argsort(places)
        self.places, self.way = places[order], kind
        self.first = axis % np.ndim(y)
        self.values = np.moveaxis(y, axis, 0)[order]
        # What there is outside, where the values are not carried on.
        zeros = np.zeros(np.shape(y))
        self.outside = interpolate.interp1d(x, zeros, kind, *options)

    def __call__(self, x: Any) -> Any:
        if not self.of_variables and first_variable(x) is None:
            return super().__call__(x)
        point, ndim = raw_of(x), np.ndim(raw_of(x))
        fill = self.outside(point)
        out = moved(self.inside(x), ndim, self.first)
        if self.fill_value == "extrapolate":
            return out
        is_out = (point < self.places[0]) | (point > self.places[-1])
        ones = (1,) * (np.ndim(out) - self.first - ndim)
        return np.where(np.reshape(is_out, np.shape(point) + ones), fill, out)

    def inside(self, x: Any) -> Any:
        """The value, with the points' axes first."""
        if self.way in STEPS:
            numbers = np.arange(len(self.places), dtype=float)
            step = interpolate.interp1d(
                self.places, numbers, self.way, fill_value="extrapolate"
            )
            return self.values[step(raw_of(x)).astype(int)]
        degree = DEGREES.get(self.way, self.way)
        return Pieces.of_values(polynomials(self.places, degree), self.values)(x)


STEPS = ("nearest", "nearest-up", "previous", "next", "zero")
DEGREES = {"linear": 1, "slinear": 1, "quadratic": 2, "cubic": 3}


def polynomials(x: Any, k: int, t: Any = None) -> Make:
    """How ``make_interp_spline`` makes polynomials of values."""

    def make(values: Any, bc_type: Any) -> Any:
        spline = interpolate.make_interp_spline(x, values, k, t, bc_type, 0)
        breaks = np.unique(spline.t[k : len(spline.t) - k])
        terms = [
            spline(breaks[:-1], nu) / math.factorial(nu) for nu in range(k, -1, -1)
        ]
        return interpolate.PPoly(np.stack(terms), breaks)

    return make


for _original, _replacement in (
    (interpolate.CubicSpline, CubicSpline),
    (interpolate.make_interp_spline, make_interp_spline),
    (interpolate.interp1d, interp1d),
):
    REPLACEMENTS[_original] = _replacement
