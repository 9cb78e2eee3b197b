"""``scipy.interpolate``: cubics by values and slopes, by both and by the point.

What PCHIP and Akima's method take for slopes are formulas of the values, with jumps.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import interpolate
>>> y = srcgrad.Variable(np.array([0.0, 1.0, 3.0]), requires_grad=True)
>>> interpolate.PchipInterpolator(np.arange(3.0), y)(2.0).backward()
>>> y.grad.data
array([0., 0., 1.])
"""

import functools
from typing import Any

import numpy as np
from scipy import interpolate

from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.libraries import REPLACEMENTS
from srcgrad.scipy.interpolation.pieces import Differentiable, Pieces


def cubics(x: Any, y: Any, slopes: Any) -> Pieces:
    """The polynomials between the places, in the order of SciPy's formula."""
    apart = np.reshape(np.diff(x), (-1,) + (1,) * (np.ndim(y) - 1))
    rise = (y[1:] - y[:-1]) / apart
    bend = (slopes[:-1] + slopes[1:] - 2.0 * rise) / apart
    terms = bend / apart, (rise - slopes[:-1]) / apart - bend, slopes[:-1], y[:-1]
    return Pieces(x, np.stack(terms))


class Hermite(Differentiable):
    """What these share: their pieces are made when a Variable is met first."""

    def prepare_slopes(self, x: Any, y: Any, axis: int, slopes_of: Any) -> None:
        places = np.asarray(x, float) if first_variable(x) is None else x
        values = np.moveaxis(y, axis, 0)
        self.hold(lambda: cubics(places, values, slopes_of(places, values)), (x, y))


class CubicHermiteSpline(Hermite, interpolate.CubicHermiteSpline):  # type: ignore[misc]
    """``scipy.interpolate.CubicHermiteSpline``"""

    def __init__(
        self, x: Any, y: Any, dydx: Any, axis: int = 0, extrapolate: Any = None
    ) -> None:
        super().__init__(raw_of(x), raw_of(y), raw_of(dydx), axis, extrapolate)
        slopes = np.moveaxis(dydx, axis, 0)
        self.prepare_slopes(x, y, axis, lambda places, values: slopes)
        self.has_variables = first_variable((x, y, dydx)) is not None


# ----- PCHIP -----


def pchip_slopes(x: Any, y: Any) -> Any:
    """Weighted harmonic means of the slopes on both sides, 0 where these turn."""
    h = np.reshape(np.diff(x), (-1,) + (1,) * (np.ndim(y) - 1))
    m = (y[1:] - y[:-1]) / h
    if len(x) == 2:
        return np.concatenate([m, m])
    before, after = m[:-1], m[1:]
    turns = before * after <= 0
    w1, w2 = 2.0 * h[1:] + h[:-1], h[1:] + 2.0 * h[:-1]
    safe = w1 / np.where(turns, 1.0, before) + w2 / np.where(turns, 1.0, after)
    inner = np.where(turns, 0.0, (w1 + w2) / np.where(turns, 1.0, safe))
    ends = end_slope(h[0], h[1], m[0], m[1]), end_slope(h[-1], h[-2], m[-1], m[-2])
    return np.concatenate([ends[0][None], inner, ends[1][None]])


def end_slope(h0: Any, h1: Any, m0: Any, m1: Any) -> Any:
    """Of a parabola through three points, if it keeps the shape."""
    d = ((2.0 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    is_steep = np.logical_and(np.sign(m0) != np.sign(m1), np.abs(d) > 3.0 * np.abs(m0))
    return np.where(np.sign(d) != np.sign(m0), 0.0, np.where(is_steep, 3.0 * m0, d))


class PchipInterpolator(Hermite, interpolate.PchipInterpolator):  # type: ignore[misc]
    """``scipy.interpolate.PchipInterpolator``"""

    def __init__(self, x: Any, y: Any, axis: int = 0, extrapolate: Any = None) -> None:
        super().__init__(raw_of(x), raw_of(y), axis, extrapolate)
        self.prepare_slopes(x, y, axis, pchip_slopes)


def pchip_interpolate(xi: Any, yi: Any, x: Any, der: Any = 0, axis: int = 0) -> Any:
    """``scipy.interpolate.pchip_interpolate``"""
    spline = PchipInterpolator(xi, yi, axis)
    if np.ndim(der) == 0:
        return spline(x, der)
    return [spline(x, nu) for nu in der]


# ----- Akima's -----


def akima_slopes(x: Any, y: Any, modified: bool) -> Any:
    """Means of the slopes on both sides, by how they change further off."""
    h = np.reshape(np.diff(x), (-1,) + (1,) * (np.ndim(y) - 1))
    m = (y[1:] - y[:-1]) / h
    if len(x) == 2:
        return np.concatenate([m, m])
    first = 2.0 * m[0] - m[1]
    last = 2.0 * m[-1] - m[-2]
    ends = 2.0 * first - m[0], 2.0 * last - m[-1]
    m = np.concatenate([ends[0][None], first[None], m, last[None], ends[1][None]])
    change = np.abs(m[1:] - m[:-1])
    after, before = change[2:], change[:-2]
    if modified:
        size = np.abs(m[1:] + m[:-1])
        after, before = after + 0.5 * size[2:], before + 0.5 * size[:-2]
    both = after + before
    is_even = both <= 1e-9 * np.max(both)
    share = before / np.where(is_even, 1.0, both)
    inner = m[1:-2] + share * (m[2:-1] - m[1:-2])
    return np.where(is_even, 0.5 * (m[3:] + m[:-3]), inner)


class Akima1DInterpolator(Hermite, interpolate.Akima1DInterpolator):  # type: ignore[misc]
    """``scipy.interpolate.Akima1DInterpolator``"""

    def __init__(
        self,
        x: Any,
        y: Any,
        axis: int = 0,
        *,
        method: Any = "akima",
        extrapolate: Any = None,
    ) -> None:
        super().__init__(
            raw_of(x), raw_of(y), axis, method=method, extrapolate=extrapolate
        )
        slopes = functools.partial(akima_slopes, modified=method == "makima")
        self.prepare_slopes(x, y, axis, slopes)


for _own in (CubicHermiteSpline, PchipInterpolator, Akima1DInterpolator):
    REPLACEMENTS[getattr(interpolate, _own.__name__)] = _own
REPLACEMENTS[interpolate.pchip_interpolate] = pchip_interpolate
