"""``scipy.interpolate``: splines that are smooth enough, by all that they are made of.

FITPACK chooses knots, and then how stiff the spline is, so that its residual is ``s``.
The knots are a step of the data (those at places of theirs move with these); how stiff
it is follows from ``s``.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import interpolate
>>> x, y = np.arange(6.0), np.array([0.0, 1.0, 0.0, 1.0, 0.0, 1.0])
>>> s = srcgrad.Variable(0.5, requires_grad=True)
>>> interpolate.splev(1.0, interpolate.splrep(x, y, s=s)).backward()
>>> round(s.grad.item(), 2)
-0.22
"""

from typing import Any

import numpy as np
from scipy import interpolate

from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.libraries import REPLACEMENTS
from srcgrad.scipy.interpolation.bsplines import (
    BSpline,
    Curve,
    basis,
    knots_through,
    make_interp_spline,
    through,
)
from srcgrad.scipy.parameters import refuse


def smoothed(x: Any, y: Any, w: Any, s: Any, found: Any, name: str) -> Curve:
    """The smoothing spline whose knots, coefficients and degree SciPy has found."""
    t, c, k = found
    c = c[: len(t) - k - 1]
    knots = moving_with(x, t)
    rows = basis(knots, k, x)
    if w is not None:
        rows, y = rows * np.reshape(w, (-1, 1)), y * in_rows(w, y)
    stiffness = jumps(knots, k)
    return Curve(knots, balanced(rows, y, stiffness, s, c, name), k)


def in_rows(w: Any, y: Any) -> Any:
    return np.reshape(w, (-1,) + (1,) * (np.ndim(y) - 1))


def moving_with(x: Any, t: Any) -> Any:
    """The knots, where they are places of data, or halfway between two, as such."""
    if first_variable(x) is None:
        return t
    place = np.clip(np.searchsorted(raw_of(x), t), 0, np.shape(x)[0] - 1)
    halfway = 0.5 * (x[np.maximum(place - 1, 0)] + x[place])
    near = np.where(raw_of(x)[place] == t, x[place], halfway)
    return np.where(np.isclose(raw_of(near), t, rtol=1e-14), near, t)


def jumps(t: Any, k: int) -> Any:
    """By how much each basis function's highest derivative jumps at the inner knots."""
    breaks = np.unique(raw_of(t))
    return np.diff(basis(t, k, (breaks[1:] + breaks[:-1]) / 2.0, k), axis=0)


def balanced(rows: Any, y: Any, stiffness: Any, s: Any, c: Any, name: str) -> Any:
    """Coefficients with a residual of ``s``, by least squares with a penalty.

    ``c`` says how large that is; two of Newton's steps from there, which go nowhere,
    have its slope, and the slope's.
    """
    plain, rhs = rows.T @ rows, rows.T @ y
    penalty = stiffness.T @ stiffness
    weight = weight_of(raw_of(plain), raw_of(rhs), raw_of(penalty), c, name)
    if not weight:
        return np.linalg.solve(plain, rhs)
    target = None
    for _ in range(2):
        matrix = plain + weight * penalty
        found = np.linalg.solve(matrix, rhs)
        residual = rows @ found - y
        change = -rows @ np.linalg.solve(matrix, penalty @ found)
        size, slope = np.sum(residual**2), 2.0 * np.sum(residual * change)
        if target is None:  # SciPy comes near to `s` only
            target = raw_of(size) + (s - raw_of(s))
        weight = weight - (size - target) / slope
    return np.linalg.solve(plain + weight * penalty, rhs)


def weight_of(plain: Any, rhs: Any, penalty: Any, c: Any, name: str) -> float:
    """How much a penalty counts where these are the coefficients; 0 if it does not."""
    rest, pull = rhs - plain @ c, penalty @ c
    noise = 1e-8 * np.max(np.abs(rhs))
    weight = 0.0
    if np.max(np.abs(rest)) > noise:
        weight = float(np.sum(rest * pull) / np.sum(pull**2))
    if not np.max(np.abs(rest - weight * pull)) <= noise:
        refuse(
            f"interpolate.{name}",
            "with these data: SciPy's spline is not the smoothest",
        )
    return weight


def lengths_along(points: Any) -> Any:
    """How far each point is along the line through them, of the whole."""
    steps = np.sqrt(np.sum(np.diff(points, axis=0) ** 2, axis=1))
    lengths = np.cumsum(steps)
    return np.concatenate([[0.0], lengths / lengths[-1]])


# ----- As objects -----
def make_splrep(x: Any, y: Any, *, w: Any = None, s: Any = 0, **options: Any) -> Any:
    """``scipy.interpolate.make_splrep``"""
    given = {"w": raw_of(w), "s": raw_of(s), **options}
    if first_variable((x, y, w, s)) is None:
        return interpolate.make_splrep(x, y, **given)
    if options.get("bc_type") is not None:
        refuse("interpolate.make_splrep", "with `bc_type`: use make_interp_spline")
    found = interpolate.make_splrep(raw_of(x), raw_of(y), **given)
    if not np.any(raw_of(s)):
        return make_interp_spline(x, y, found.k)
    tck = found.t, found.c, found.k
    return BSpline.made(smoothed(x, y, w, s, tck, "make_splrep"), found, *(x, y, w, s))


def make_splprep(
    x: Any, *, w: Any = None, u: Any = None, s: Any = 0, **options: Any
) -> Any:
    """``scipy.interpolate.make_splprep``"""
    given = {"w": raw_of(w), "u": raw_of(u), "s": raw_of(s), **options}
    if first_variable((x, w, u, s)) is None:
        return interpolate.make_splprep(x, **given)
    if options.get("bc_type") is not None:
        refuse("interpolate.make_splprep", "with `bc_type`")
    points = np.stack(list(x), axis=1)
    found, _ = interpolate.make_splprep(list(raw_of(points).T), **given)
    u = lengths_along(points) if u is None else u
    k = found.k
    if np.any(raw_of(s)):
        tck = found.t, found.c, k
        curve = smoothed(u, points, w, s, tck, "make_splprep")
    else:
        curve = through(u, points, k, knots_through(u, k, has_ends=False))
    return BSpline.made(curve, found, x, w, u, s), u


for _own in (make_splrep, make_splprep):
    REPLACEMENTS[getattr(interpolate, _own.__name__)] = _own
