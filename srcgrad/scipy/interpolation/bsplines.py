"""``scipy.interpolate``: B-splines, by coefficients, values, places, knots and points.

De Boor's recursion is a program of NumPy calls, so all that goes into it has a slope.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import interpolate

from srcgrad.protocols import raw_of
from srcgrad.scipy.interpolation.pieces import Differentiable, in_first, spread
from srcgrad.scipy.parameters import refuse
from srcgrad.scipy.replacing import is_plain, replace_class, replaces


@dataclass(frozen=True)
class Curve:
    """A spline of degree ``k``: its knots, and its coefficients, first axis first."""

    knots: Any
    coefficients: Any
    k: int

    @property
    def breaks(self):
        """From where to where it is no extrapolation."""
        return self.knots[[self.k, np.shape(self.coefficients)[0]]]

    def __call__(self, x, nu=0):
        """The value, or derivative number ``nu``, at each point."""
        curve = self.derivative(nu)
        t, c, k = curve.knots, curve.coefficients, curve.k
        last, ndim = np.shape(c)[0] - 1, np.ndim(c) - 1
        place = np.searchsorted(raw_of(t), raw_of(x), "right") - 1
        place = np.clip(place, k, max(last, k))
        if last < k:  # all derivatives of a polynomial are gone
            return np.zeros(np.shape(x) + np.shape(c)[1:])
        terms = [c[place - k + j] for j in range(k + 1)]
        for r in range(1, k + 1):
            for j in range(k, r - 1, -1):
                low, high = t[place + j - k], t[place + j + 1 - r]
                share = spread((x - low) / apart(low, high), ndim)
                terms[j] = (1.0 - share) * terms[j - 1] + share * terms[j]
        return terms[k] + spread(0.0 * x, ndim)

    def derivative(self, nu=1):
        t, c, k = self.knots, self.coefficients, self.k
        for _ in range(min(nu, k + 1)):
            if k == 0:
                return Curve(t, 0.0 * c, 0)
            width = apart(t[1 : -k - 1], t[k + 1 : -1])
            t, c, k = t[1:-1], (c[1:] - c[:-1]) * in_first(k / width, c), k - 1
        return Curve(t, c, k)

    def antiderivative(self, nu=1):
        t, c, k = self.knots, self.coefficients, self.k
        for _ in range(nu):
            width = in_first((t[k + 1 :] - t[: -k - 1]) / (k + 1), c)
            sums = np.cumsum(c * width, axis=0)
            c = np.concatenate([np.zeros_like(raw_of(sums[:1])), sums])
            t, k = np.concatenate([t[:1], t, t[-1:]]), k + 1
        return Curve(t, c, k)


def apart(low, high):
    """How far; 1 where knots are one, between which there is nothing."""
    return np.where(high == low, 1.0, high - low)


def basis(t, k, x, nu=0):
    """The value of each basis function at each point: a row for each point."""
    return Curve(t, np.eye(np.shape(t)[0] - k - 1), k)(x, nu)


# ----- Splines through values -----
def knots_through(x, k, has_ends):
    """SciPy's knots: without the places next to the ends, or with conditions there."""
    first, last = x[:1], x[-1:]
    if has_ends or k == 1:
        return np.concatenate([first] * k + [x] + [last] * k)
    half = (k + 1) // 2 if k % 2 else k // 2
    inner = x if k % 2 else (x[1:] + x[:-1]) / 2.0
    inner = inner[half:-half]
    return np.concatenate([first] * (k + 1) + [inner] + [last] * (k + 1))


def through(x, y, k, t=None, bc_type=None):
    """The spline with these values, by its places too."""
    ends = ends_of(bc_type)
    if k == 0:
        refuse("interpolate", "by the places of the values, for a spline of degree 0")
    t = knots_through(x, k, any(ends)) if t is None else t
    rows, right = [basis(t, k, x)], [y]
    for place, conditions in ((x[:1], ends[0]), (x[-1:], ends[1])):
        for order, value in conditions:
            rows.append(basis(t, k, place, order))
            right.append(np.broadcast_to(value, (1, *np.shape(y)[1:])))
    return Curve(t, np.linalg.solve(np.concatenate(rows), np.concatenate(right)), k)


def ends_of(bc_type):
    """The conditions at each end: lists of the order of a derivative and its value."""
    if bc_type is None or isinstance(bc_type, str):
        bc_type = bc_type, bc_type
    if "periodic" in [end for end in bc_type if isinstance(end, str)]:
        refuse("interpolate", "by the places of the values, for a periodic spline")
    return tuple(conditions_of(end) for end in bc_type)


# The derivative that is zero at an end.
NAMED = {"natural": 2, "clamped": 1}


def conditions_of(end):
    if end is None or isinstance(end, str):
        return [(NAMED[end], 0.0)] if end in NAMED else []
    return pairs(end)


def pairs(end):
    """Conditions at an end: of CubicSpline it is one, of make_interp_spline a list."""
    return [end] if isinstance(end[0], (int, np.integer)) else list(end)


def nearest_to(x, y, t, k, w=None):
    """The spline on given knots that is nearest to some values."""
    matrix = basis(t, k, x)
    if w is not None:
        matrix, y = matrix * in_first(w, matrix), y * in_first(w, y)
    flat = np.reshape(y, (np.shape(y)[0], -1))
    found = np.linalg.solve(matrix.T @ matrix, matrix.T @ flat)
    return Curve(t, np.reshape(found, (-1, *np.shape(y)[1:])), k)


# ----- What SciPy offers -----
@replace_class(interpolate)
class BSpline(Differentiable, interpolate.BSpline):
    """``scipy.interpolate.BSpline``"""

    def hold(self, t, c, k, axis):
        moved = np.moveaxis(c, axis, 0)[: len(t) - k - 1]
        self.way = lambda: Curve(t, moved, k)

    def way(self):
        return Curve(self.t, self.c[: len(self.t) - self.k - 1], self.k)

    @classmethod
    def made(cls, curve, original):
        """Ours for one of SciPy's, whose values are known."""
        spline = cls.construct_fast(
            original.t, original.c, original.k, original.extrapolate, original.axis
        )
        spline.way = lambda: curve
        spline.has_variables = not is_plain(curve.knots, curve.coefficients)
        return spline


@replaces(interpolate.make_interp_spline, is_plain=lambda *args: False)
def make_interp_spline(found, x, y, k, t, bc_type, axis):
    if is_plain(x, y, t):
        return BSpline.made(Curve(found.t, found.c, k), found)
    moved = np.moveaxis(y, axis, 0)
    if bc_type == "periodic" or k == 0:
        return BSpline.made(linear_in(x, moved, t, k, bc_type), found)
    knots = found.t if is_plain(x, t) else t
    return BSpline.made(through(x, moved, k, knots, bc_type), found)


def linear_in(x, y, t, k, bc_type):
    """What SciPy makes of unit vectors, for the values in ``y``."""
    if not is_plain(x, t):
        refuse("interpolate.make_interp_spline", "by the places, with these ends")
    unit, y = of_period(y) if bc_type == "periodic" else (np.eye(np.shape(y)[0]), y)
    made = interpolate.make_interp_spline(x, unit, k, t, bc_type)
    return Curve(made.t, np.tensordot(made.c, y, 1), k)


def of_period(y):
    """Unit vectors, and the values for them: the first and the last are one."""
    unit = np.eye(np.shape(y)[0])
    unit = unit[:, :-1] + unit[:, -1:] * (np.arange(len(unit) - 1) == 0)
    return unit, np.concatenate([0.5 * (y[:1] + y[-1:]), y[1:-1]])


@replaces(interpolate.make_lsq_spline)
def make_lsq_spline(found, x, y, t, k, w, axis):
    return BSpline.made(nearest_to(x, np.moveaxis(y, axis, 0), t, k, w), found)


@replaces(interpolate.make_smoothing_spline)
def make_smoothing_spline(found, x, y, w, lam, axis):
    """Of a given smoothness."""
    if lam is None:
        refuse("interpolate.make_smoothing_spline", "with lam=None: give it a number")
    moved = np.moveaxis(y, axis, 0)
    flat = np.reshape(moved, (np.shape(moved)[0], -1))
    weights = np.ones(np.shape(x)) if w is None else w
    matrix = np.diag(weights) + lam * roughness(x)
    smooth = np.linalg.solve(matrix, np.reshape(weights, (-1, 1)) * flat)
    smooth = np.reshape(smooth, np.shape(moved))
    return BSpline.made(through(x, smooth, 3, bc_type="natural"), found)


def roughness(x):
    """The matrix of the integrated square of a natural spline's second derivative."""
    h = np.diff(x)
    n = np.shape(h)[0]
    inner = np.diag((h[:-1] + h[1:]) / 3.0)
    if n > 2:
        beside = np.diag(h[1:-1] / 6.0, 1)
        inner = inner + beside + beside.T
    bends = np.diff(np.diff(np.eye(n + 1), axis=0) / np.reshape(h, (-1, 1)), axis=0)
    return bends.T @ np.linalg.solve(inner, bends)
