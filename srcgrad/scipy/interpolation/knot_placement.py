"""``scipy.interpolate``: surfaces whose knots follow the data.

FITPACK puts one knot after another where the errors are largest: at their mean place,
which moves with the data. Then it makes the surface as stiff as ``s`` lets it be. All
of this is done again here, and compared with what SciPy has found.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import interpolate

from srcgrad.protocols import raw_of
from srcgrad.scipy.interpolation.bsplines import basis
from srcgrad.scipy.interpolation.smoothing import balanced, jumps
from srcgrad.scipy.interpolation.surfaces import Surface, products, weighted
from srcgrad.scipy.parameters import refuse
from srcgrad.scipy.replacing import replace_class, replaces


@dataclass(frozen=True)
class Axis:
    """One of the two directions: its places, their ends, a degree, knots within."""

    places: Any
    ends: tuple[Any, Any]
    k: int
    inner: tuple[Any, ...] = ()

    @property
    def knots(self):
        low, high = (np.reshape(end, (1,)) for end in self.ends)
        inner = [np.reshape(knot, (1,)) for knot in self.inner]
        return np.concatenate([low] * (self.k + 1) + inner + [high] * (self.k + 1))

    @property
    def rows(self):
        return basis(self.knots, self.k, self.places)

    @property
    def stiffness(self):
        """The jumps at knots within, as FITPACK scales them in each direction."""
        low, high = self.ends
        scale = (high - low) / (len(self.inner) + 1)
        return jumps(self.knots, self.k) * scale**self.k / math.factorial(self.k)

    def interval(self):
        """The number of the interval of each place."""
        inner = np.array([raw_of(knot) for knot in self.inner])
        return np.searchsorted(inner, raw_of(self.places), "right")

    def with_knot(self, knot):
        inner = sorted((*self.inner, knot), key=lambda each: float(raw_of(each)))
        return Axis(self.places, self.ends, self.k, tuple(inner))


def tensor(axes, z, w):
    """The products of the basis functions, a row for each place, and the values."""
    return weighted(products(axes[0].rows, axes[1].rows), z, w)


def fitted(axes, z, w, s, found, name):
    """The knots and coefficients that SciPy has ``found``, of Variables."""
    ends = [np.asarray(found[i])[a.k + 1 : -a.k - 1] for i, a in enumerate(axes)]
    for _ in range(sum(map(len, ends))):
        axes = with_next_knot(axes, z, w, ends, name)
    rows, values = tensor(axes, z, w)
    down, across = (len(raw_of(a.knots)) - a.k - 1 for a in axes)
    parts = []
    if axes[0].inner:
        parts.append(np.kron(axes[0].stiffness, np.eye(across)))
    if axes[1].inner:
        parts.append(np.kron(np.eye(down), axes[1].stiffness))
    stiffness = np.concatenate(parts) if parts else np.zeros((1, down * across))
    c = balanced(rows, values, stiffness, s, found[2], name)
    if not np.allclose(raw_of(c), found[2], 0.0, 1e-5 * np.max(np.abs(found[2]))):
        refuse(f"interpolate.{name}", "with these data: many surfaces fit them")
    return axes[0].knots, axes[1].knots, c


def with_next_knot(axes, z, w, found, name):
    """One more knot, where the errors of the surface so far are largest."""
    rows, values = tensor(axes, z, w)
    squares = (rows @ np.linalg.lstsq(rows, values)[0] - values) ** 2
    sums = [
        (np.sum(raw_of(squares)[axis.interval() == i]), number, i)
        for number, axis in enumerate(axes)
        for i in range(len(axis.inner) + 1)
    ]
    for _, number, i in sorted(sums, key=lambda each: -each[0]):
        axis = axes[number]
        within = axis.interval() == i
        knot = np.sum(squares[within] * axis.places[within]) / np.sum(squares[within])
        if np.any(np.isclose(found[number], raw_of(knot), 1e-6, 0.0)):
            return [a.with_knot(knot) if a is axis else a for a in axes]
    refuse(f"interpolate.{name}", "with these data: its knots are not at their errors")
    return axes


def ends_of(places, low, high):
    return (
        np.min(places) if low is None else low,
        np.max(places) if high is None else high,
    )


@replaces(interpolate.bisplrep)
def bisplrep(found, x, y, z, w, xb, xe, yb, ye, kx, ky, task, s, full_output):
    """On given knots it is LSQBivariateSpline."""
    if task or full_output:
        refuse("interpolate.bisplrep", "with `task` or `full_output`")
    x, y, z = (np.reshape(item, -1) for item in (x, y, z))
    m = np.size(raw_of(z))
    s = m - np.sqrt(2.0 * m) if s is None else s
    axes = [Axis(x, ends_of(x, xb, xe), kx), Axis(y, ends_of(y, yb, ye), ky)]
    return [*fitted(axes, z, w, s, found, "bisplrep"), kx, ky]


@replace_class(interpolate)
class SmoothBivariateSpline(Surface, interpolate.SmoothBivariateSpline):
    """``scipy.interpolate.SmoothBivariateSpline``"""

    def hold(self, x, y, z, w, bbox, kx, ky, s):
        found = self.raw("tck")
        if self.has_variables:
            s = np.size(raw_of(z)) if s is None else s
            xb, xe, yb, ye = bbox
            axes = [Axis(x, ends_of(x, xb, xe), kx), Axis(y, ends_of(y, yb, ye), ky)]
            found = fitted(axes, z, w, s, found, "SmoothBivariateSpline")
        self.held = (*found, kx, ky)
