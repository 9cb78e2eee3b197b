"""``scipy.interpolate``: B-splines, by coefficients, values, places, knots and points.

De Boor's recursion is a program of NumPy calls, so all that goes into it has a slope.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import interpolate
>>> c = srcgrad.Variable(np.array([1.0, 2.0, 4.0]), requires_grad=True)
>>> interpolate.BSpline(np.array([0.0, 0.0, 1.0, 2.0, 2.0]), c, 1)(0.25).backward()
>>> c.grad.data
array([0.75, 0.25, 0.  ])
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import interpolate

from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.libraries import REPLACEMENTS
from srcgrad.scipy.interpolation.pieces import Differentiable
from srcgrad.scipy.parameters import refuse


@dataclass(frozen=True)
class Curve:
    """A spline of degree ``k``: its knots, and its coefficients, first axis first."""

    knots: Any
    coefficients: Any
    k: int

    @property
    def breaks(self) -> Any:
        """From where to where it is no extrapolation."""
        return self.knots[[self.k, np.shape(self.coefficients)[0]]]

    def __call__(self, x: Any, nu: int = 0) -> Any:
        """The value, or derivative number ``nu``, at each point."""
        curve = self.derivative(nu)
        t, c, k = curve.knots, curve.coefficients, curve.k
        last = np.shape(c)[0] - 1
        place = np.searchsorted(raw_of(t), raw_of(x), "right") - 1
        place = np.clip(place, k, max(last, k))
        if last < k:  # all derivatives of a polynomial are gone
            return np.zeros(np.shape(x) + np.shape(c)[1:])
        ones = (1,) * (np.ndim(c) - 1)
        terms = [c[place - k + j] for j in range(k + 1)]
        for r in range(1, k + 1):
            for j in range(k, r - 1, -1):
                low, high = t[place + j - k], t[place + j + 1 - r]
                share = (x - low) / apart(low, high)
                share = np.reshape(share, np.shape(x) + ones)
                terms[j] = (1.0 - share) * terms[j - 1] + share * terms[j]
        return terms[k] + np.reshape(0.0 * x, np.shape(x) + ones)

    def derivative(self, nu: int = 1) -> "Curve":
        curve = self
        for _ in range(min(nu, self.k + 1)):
            curve = curve._once()
        return curve

    def _once(self) -> "Curve":
        t, c, k = self.knots, self.coefficients, self.k
        if k == 0:
            return Curve(t, 0.0 * c, 0)
        width = apart(t[1 : -k - 1], t[k + 1 : -1])
        ones = (1,) * (np.ndim(c) - 1)
        slopes = (c[1:] - c[:-1]) * np.reshape(k / width, (-1, *ones))
        return Curve(t[1:-1], slopes, k - 1)

    def antiderivative(self, nu: int = 1) -> "Curve":
        curve = self
        for _ in range(nu):
            t, c, k = curve.knots, curve.coefficients, curve.k
            width = np.reshape(
                (t[k + 1 :] - t[: -k - 1]) / (k + 1), (-1,) + (1,) * (np.ndim(c) - 1)
            )
            sums = np.cumsum(c * width, axis=0)
            whole = np.concatenate([np.zeros_like(raw_of(sums[:1])), sums])
            curve = Curve(np.concatenate([t[:1], t, t[-1:]]), whole, k + 1)
        return curve


def apart(low: Any, high: Any) -> Any:
    """How far; 1 where knots are one, between which there is nothing."""
    return np.where(high == low, 1.0, high - low)


def basis(t: Any, k: int, x: Any, nu: int = 0) -> Any:
    """The value of each basis function at each point: a row for each point."""
    return Curve(t, np.eye(np.shape(t)[0] - k - 1), k)(x, nu)


# ----- Splines through values -----
def knots_through(x: Any, k: int, has_ends: bool) -> Any:
    """SciPy's knots: without the places next to the ends, or with conditions there."""
    first, last = x[:1], x[-1:]
    if has_ends or k == 1:
        return np.concatenate([first] * k + [x] + [last] * k)
    half = (k + 1) // 2 if k % 2 else k // 2
    inner = x if k % 2 else (x[1:] + x[:-1]) / 2.0
    inner = inner[half:-half]
    return np.concatenate([first] * (k + 1) + [inner] + [last] * (k + 1))


def through(x: Any, y: Any, k: int, t: Any = None, bc_type: Any = None) -> Curve:
    """The spline with these values, by its places too."""
    ends = ends_of(bc_type)
    has_ends = any(ends)
    if k == 0:
        refuse("interpolate", "by the places of the values, for a spline of degree 0")
    t = knots_through(x, k, has_ends) if t is None else t
    rows, right = [basis(t, k, x)], [y]
    for place, conditions in ((x[:1], ends[0]), (x[-1:], ends[1])):
        for order, value in conditions:
            rows.append(basis(t, k, place, order))
            right.append(np.broadcast_to(value, (1, *np.shape(y)[1:])))
    return Curve(t, np.linalg.solve(np.concatenate(rows), np.concatenate(right)), k)


def ends_of(bc_type: Any) -> Any:
    """The conditions at each end: lists of the order of a derivative and its value."""
    if bc_type is None or isinstance(bc_type, str):
        bc_type = bc_type, bc_type
    if "periodic" in [end for end in bc_type if isinstance(end, str)]:
        refuse("interpolate", "by the places of the values, for a periodic spline")
    return tuple(conditions_of(end) for end in bc_type)


# The derivative that is zero at an end.
NAMED = {"natural": 2, "clamped": 1}


def conditions_of(end: Any) -> Any:
    if end is None or isinstance(end, str):
        return [(NAMED[end], 0.0)] if end in NAMED else []
    return pairs(end)


def pairs(end: Any) -> list[Any]:
    """Conditions at an end: of CubicSpline it is one, of make_interp_spline a list."""
    return [end] if isinstance(end[0], (int, np.integer)) else list(end)


def nearest_to(x: Any, y: Any, t: Any, k: int, w: Any = None) -> Curve:
    """The spline on given knots that is nearest to some values."""
    matrix = basis(t, k, x)
    if w is not None:
        matrix = matrix * np.reshape(w, (-1, 1))
        y = y * np.reshape(w, (-1,) + (1,) * (np.ndim(y) - 1))
    flat = np.reshape(y, (np.shape(y)[0], -1))
    found = np.linalg.solve(matrix.T @ matrix, matrix.T @ flat)
    return Curve(t, np.reshape(found, (-1, *np.shape(y)[1:])), k)


# ----- What SciPy offers -----
class BSpline(Differentiable, interpolate.BSpline):  # type: ignore[misc]
    """``scipy.interpolate.BSpline``"""

    def __init__(
        self, t: Any, c: Any, k: int, extrapolate: Any = True, axis: int = 0
    ) -> None:
        super().__init__(raw_of(t), raw_of(c), k, extrapolate, axis)
        moved = np.moveaxis(c, axis, 0)[: len(t) - k - 1]
        self.hold(lambda: Curve(t, moved, k), (t, c))

    def way(self) -> Curve:
        return Curve(self.t, self.c[: len(self.t) - self.k - 1], self.k)

    @classmethod
    def made(cls, curve: Curve, original: Any, *variables: Any) -> "BSpline":
        """Ours for one of SciPy's, whose values are known."""
        spline = cls.construct_fast(
            original.t, original.c, original.k, original.extrapolate, original.axis
        )
        spline.hold(lambda: curve, variables)
        return spline  # type: ignore[no-any-return]


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
    found = interpolate.make_interp_spline(
        raw_of(x), raw_of(y), k, raw_of(t), bc_type, axis, check_finite
    )
    if first_variable((x, y, t)) is None:
        return BSpline.made(Curve(found.t, found.c, k), found)
    moved = np.moveaxis(y, axis, 0)
    if bc_type == "periodic" or k == 0:
        curve = linear_in(x, moved, t, k, bc_type)
    else:
        knots = t if first_variable((x, t)) is not None else found.t
        curve = through(x, moved, k, knots, bc_type)
    return BSpline.made(curve, found, x, y, t)


def linear_in(x: Any, y: Any, t: Any, k: int, bc_type: Any) -> Curve:
    """What SciPy makes of unit vectors, for the values in ``y``."""
    if first_variable((x, t)) is not None:
        refuse("interpolate.make_interp_spline", "by the places, with these ends")
    unit = np.eye(np.shape(y)[0])
    if bc_type == "periodic":  # the first and the last value are one
        unit = unit[:, :-1] + unit[:, -1:] * (np.arange(len(unit) - 1) == 0)
        y = np.concatenate([0.5 * (y[:1] + y[-1:]), y[1:-1]])
    made = interpolate.make_interp_spline(x, unit, k, t, bc_type)
    return Curve(made.t, np.tensordot(made.c, y, 1), k)


def make_lsq_spline(
    x: Any,
    y: Any,
    t: Any,
    k: int = 3,
    w: Any = None,
    axis: int = 0,
    check_finite: bool = True,
    *,
    method: str = "qr",
) -> Any:
    """``scipy.interpolate.make_lsq_spline``"""
    found = interpolate.make_lsq_spline(
        *(raw_of(x), raw_of(y), raw_of(t), k, raw_of(w), axis, check_finite),
        method=method,
    )
    if first_variable((x, y, t, w)) is None:
        return found
    curve = nearest_to(x, np.moveaxis(y, axis, 0), t, k, w)
    return BSpline.made(curve, found, x, y, t, w)


def make_smoothing_spline(
    x: Any, y: Any, w: Any = None, lam: Any = None, *, axis: int = 0
) -> Any:
    """``scipy.interpolate.make_smoothing_spline``, of a given smoothness"""
    found = interpolate.make_smoothing_spline(*map(raw_of, (x, y, w, lam)), axis=axis)
    if first_variable((x, y, w, lam)) is None:
        return found
    if lam is None:
        refuse("interpolate.make_smoothing_spline", "with lam=None: give it a number")
    moved = np.moveaxis(y, axis, 0)
    flat = np.reshape(moved, (np.shape(moved)[0], -1))
    weights = np.ones(np.shape(x)) if w is None else w
    matrix = np.diag(weights) + lam * roughness(x)
    smooth = np.linalg.solve(matrix, np.reshape(weights, (-1, 1)) * flat)
    smooth = np.reshape(smooth, np.shape(moved))
    return BSpline.made(through(x, smooth, 3, bc_type="natural"), found, x, y, w, lam)


def roughness(x: Any) -> Any:
    """The matrix of the integrated square of a natural spline's second derivative."""
    h = np.diff(x)
    n = np.shape(h)[0]
    inner = np.diag((h[:-1] + h[1:]) / 3.0)
    if n > 2:
        beside = np.diag(h[1:-1] / 6.0, 1)
        inner = inner + beside + beside.T
    steps = np.diff(np.eye(n + 1), axis=0) / np.reshape(h, (-1, 1))
    bends = np.diff(steps, axis=0)
    return bends.T @ np.linalg.solve(inner, bends)


for _own in (*(BSpline, make_interp_spline, make_lsq_spline, make_smoothing_spline),):
    REPLACEMENTS[getattr(interpolate, _own.__name__)] = _own
