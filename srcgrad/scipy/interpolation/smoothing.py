"""``scipy.interpolate``: splines that are smooth enough, by all that they are made of.

FITPACK chooses knots, and then how stiff the spline is, so that its residual is ``s``.
The knots are a step of the data (those at places of theirs move with these); how stiff
it is follows from ``s``.
"""

import functools

import numpy as np
from scipy import interpolate

from srcgrad.protocols import raw_of
from srcgrad.scipy.interpolation.bsplines import (
    BSpline,
    Curve,
    basis,
    knots_through,
    make_interp_spline,
    through,
)
from srcgrad.scipy.interpolation.pieces import in_first
from srcgrad.scipy.parameters import refuse
from srcgrad.scipy.replacing import is_plain, replaces


def smoothed(x, y, w, s, found, name):
    """The smoothing spline whose knots, coefficients and degree SciPy has found."""
    t, c, k = found
    c = c[: len(t) - k - 1]
    knots = moving_with(x, t)
    rows = basis(knots, k, x)
    if w is not None:
        rows, y = rows * in_first(w, rows), y * in_first(w, y)
    stiffness = jumps(knots, k)
    return Curve(knots, balanced(rows, y, stiffness, s, c, name), k)


def moving_with(x, t):
    """The knots, where they are places of data, or halfway between two, as such."""
    if is_plain(x):
        return t
    place = np.clip(np.searchsorted(raw_of(x), t), 0, np.shape(x)[0] - 1)
    halfway = 0.5 * (x[np.maximum(place - 1, 0)] + x[place])
    near = np.where(raw_of(x)[place] == t, x[place], halfway)
    return np.where(np.isclose(raw_of(near), t, rtol=1e-14), near, t)


def jumps(t, k):
    """By how much each basis function's highest derivative jumps at the inner knots."""
    breaks = np.unique(raw_of(t))
    return np.diff(basis(t, k, (breaks[1:] + breaks[:-1]) / 2.0, k), axis=0)


def balanced(rows, y, stiffness, s, c, name):
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


def weight_of(plain, rhs, penalty, c, name):
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


def lengths_along(points):
    """How far each point is along the line through them, of the whole."""
    steps = np.sqrt(np.sum(np.diff(points, axis=0) ** 2, axis=1))
    lengths = np.cumsum(steps)
    return np.concatenate([[0.0], lengths / lengths[-1]])


# ----- As objects -----
@replaces(interpolate.make_splrep)
def make_splrep(run, x, y, w, s, bc_type):
    if bc_type is not None:
        refuse("interpolate.make_splrep", "with `bc_type`: use make_interp_spline")
    found = run()
    if not np.any(raw_of(s)):
        return make_interp_spline(x, y, found.k)
    tck = found.t, found.c, found.k
    return BSpline.made(smoothed(x, y, w, s, tck, "make_splrep"), found)


@replaces(interpolate.make_splprep)
def make_splprep(run, x, w, u, s, bc_type):
    if bc_type is not None:
        refuse("interpolate.make_splprep", "with `bc_type`")
    points, (found, _) = np.stack(list(x), axis=1), run()
    u = lengths_along(points) if u is None else u
    if np.any(raw_of(s)):
        tck = found.t, found.c, found.k
        curve = smoothed(u, points, w, s, tck, "make_splprep")
    else:
        curve = through(u, points, found.k, knots_through(u, found.k, has_ends=False))
    return BSpline.made(curve, found), u


# ----- Knots: which place of the data is one is a step of the values -----
@replaces(interpolate.generate_knots)
def generate_knots(found, x, xb, xe, bc_type):
    if is_plain(x, xb, xe):
        return found
    if bc_type == "periodic":
        refuse("interpolate.generate_knots", "by periodic places")
    ends = [np.reshape(end, (1,)) for end in (xb, xe) if end is not None]
    # Ends, places, and what is halfway between two.
    places = np.concatenate([*ends, x, (x[1:] + x[:-1]) / 2])
    return map(functools.partial(taken, places), found)


def taken(places, knots):
    """The places that are these knots."""
    apart = np.abs(raw_of(places)[:, None] - knots)
    return places[np.argmin(apart, axis=0)]
