"""``scipy.interpolate``: cubics by values and slopes, by both and by the point.

What PCHIP and Akima's method take for slopes are formulas of the values, with jumps.
"""

import numpy as np
from scipy import interpolate

from srcgrad.scipy.interpolation.pieces import Differentiable, Pieces, floats, in_first
from srcgrad.scipy.replacing import replace_class, replaces


def cubics(x, y, slopes):
    """The polynomials between the places, in the order of SciPy's formula."""
    apart = in_first(np.diff(x), y)
    rise = (y[1:] - y[:-1]) / apart
    bend = (slopes[:-1] + slopes[1:] - 2.0 * rise) / apart
    terms = bend / apart, (rise - slopes[:-1]) / apart - bend, slopes[:-1], y[:-1]
    return Pieces(x, np.stack(terms))


class Hermite(Differentiable):
    """What these share: their pieces are made when a Variable is met first."""

    def hold_slopes(self, x, y, axis, slopes_of):
        places, values = floats(x), np.moveaxis(y, axis, 0)
        self.way = lambda: cubics(places, values, slopes_of(places, values))


@replace_class(interpolate)
class CubicHermiteSpline(Hermite, interpolate.CubicHermiteSpline):
    """``scipy.interpolate.CubicHermiteSpline``"""

    def hold(self, x, y, dydx, axis):
        self.hold_slopes(x, y, axis, lambda places, values: np.moveaxis(dydx, axis, 0))


# ----- PCHIP -----


def pchip_slopes(x, y):
    """Weighted harmonic means of the slopes on both sides, 0 where these turn."""
    h = in_first(np.diff(x), y)
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


def end_slope(h0, h1, m0, m1):
    """Of a parabola through three points, if it keeps the shape."""
    d = ((2.0 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    is_steep = np.logical_and(np.sign(m0) != np.sign(m1), np.abs(d) > 3.0 * np.abs(m0))
    return np.where(np.sign(d) != np.sign(m0), 0.0, np.where(is_steep, 3.0 * m0, d))


@replace_class(interpolate)
class PchipInterpolator(Hermite, interpolate.PchipInterpolator):
    """``scipy.interpolate.PchipInterpolator``"""

    def hold(self, x, y, axis):
        self.hold_slopes(x, y, axis, pchip_slopes)


@replaces(interpolate.pchip_interpolate)
def pchip_interpolate(xi, yi, x, der, axis):
    spline = PchipInterpolator(xi, yi, axis)
    return [spline(x, nu) for nu in der] if np.ndim(der) else spline(x, der)


# ----- Akima's -----


def akima_slopes(x, y, modified):
    """Means of the slopes on both sides, by how they change further off."""
    h = in_first(np.diff(x), y)
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


@replace_class(interpolate)
class Akima1DInterpolator(Hermite, interpolate.Akima1DInterpolator):
    """``scipy.interpolate.Akima1DInterpolator``"""

    def hold(self, x, y, axis, method):
        is_modified = method == "makima"
        self.hold_slopes(x, y, axis, lambda x, y: akima_slopes(x, y, is_modified))
