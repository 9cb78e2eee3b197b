"""``scipy.interpolate``: surfaces made of splines of two variables."""

import copy

import numpy as np
from scipy import interpolate

from srcgrad.protocols import raw_of
from srcgrad.scipy.interpolation.bsplines import Curve, basis, through
from srcgrad.scipy.interpolation.fitpack import integral
from srcgrad.scipy.parameters import refuse
from srcgrad.scipy.replacing import (
    OfVariables,
    is_plain,
    of_variables,
    replace_class,
    replaces,
)


def surface(tck, x, y, dx, dy, grid):
    """Products of basis functions; beyond the ends it is as at the ends."""
    if grid:
        x, y = np.atleast_1d(x), np.atleast_1d(y)
    (tx, ty, c, kx, ky) = tck
    inside = [
        np.clip(point, raw_of(t)[k], raw_of(t)[-k - 1])
        for point, t, k in ((x, tx, kx), (y, ty, ky))
    ]
    rows, columns = basis(tx, kx, inside[0], dx), basis(ty, ky, inside[1], dy)
    c = np.reshape(c, (np.shape(tx)[0] - kx - 1, np.shape(ty)[0] - ky - 1))
    return rows @ c @ columns.T if grid else np.sum((rows @ c) * columns, axis=-1)


@replaces(interpolate.bisplev)
def bisplev(x, y, tck, dx, dy):
    out = surface(tck, x, y, dx, dy, True)
    if np.shape(out)[0] > 1:
        return out
    return out[0] if np.shape(out)[1] > 1 else out[0, 0]


def products(*bases):
    """The products of the basis functions of two variables: a row for each point."""
    rows = bases[0][:, :, None] * bases[1][:, None, :]
    return np.reshape(rows, (np.shape(rows)[0], -1))


def weighted(rows, values, w):
    """The rows of a least squares problem, and its values, by weights."""
    return (rows, values) if w is None else (rows * np.reshape(w, (-1, 1)), values * w)


class Surface(OfVariables):
    """What these share: ``held`` are the knots, the coefficients, and the degrees."""

    MEMBERS = {
        "tck": lambda self: (*self.held[:2], np.reshape(self.held[2], -1)),
        "fp": None,
        "get_residual": "of a surface's residual: it is a sum of squares",
        "partial_derivative": "of a surface's `partial_derivative`: use dx and dy",
    }

    @of_variables
    def __call__(self, x, y, dx=0, dy=0, grid=True):
        return surface(self.held, x, y, dx, dy, grid)

    def ev(self, xi, yi, dx=0, dy=0):
        return self(xi, yi, dx, dy, False)

    @of_variables
    def integral(self, xa, xb, ya, yb):
        tx, ty, c, kx, ky = self.held
        down, across = (
            integral(Curve(t, np.eye(np.shape(t)[0] - k - 1), k), *ends)
            for t, k, ends in ((tx, kx, (xa, xb)), (ty, ky, (ya, yb)))
        )
        return down @ np.reshape(c, (np.shape(down)[0], -1)) @ across

    def get_coeffs(self):
        return np.reshape(self.held[2], -1)

    def get_knots(self):
        return self.held[:2]


@replace_class(interpolate)
class RectBivariateSpline(Surface, interpolate.RectBivariateSpline):
    """``scipy.interpolate.RectBivariateSpline`` with ``s=0``"""

    def hold(self, x, y, z, bbox, kx, ky, s):
        self.held = (*self.raw("tck"), kx, ky)
        if self.has_variables:
            if s or any(end is not None for end in bbox):
                refuse("interpolate.RectBivariateSpline", "with `s` or `bbox`")
            down = through(x, z, kx)
            across = through(y, down.coefficients.T, ky)
            self.held = (down.knots, across.knots, across.coefficients.T, kx, ky)


@replace_class(interpolate)
class LSQBivariateSpline(Surface, interpolate.LSQBivariateSpline):
    """``scipy.interpolate.LSQBivariateSpline``"""

    def hold(self, x, y, z, tx, ty, w, kx, ky):
        down, across, _ = self.raw("tck")
        self.held = (*self.raw("tck"), kx, ky)
        if self.has_variables:
            # Where the outer knots are makes no difference.
            down, across = (
                np.concatenate([t[: k + 1], inner, t[-k - 1 :]])
                for t, inner, k in ((down, tx, kx), (across, ty, ky))
            )
            rows = products(basis(down, kx, x), basis(across, ky, y))
            c = np.linalg.lstsq(*weighted(rows, z, w))[0]
            self.held = (down, across, c, kx, ky)


# ----- Over a sphere -----
class Sphere(Surface):
    """At a pole a surface has one value and one slope in each direction.

    So its coefficients are made of fewer numbers, found by least squares.
    """

    plain = None  # SciPy's of the numbers alone, where there are Variables

    def __call__(self, theta, phi, dtheta=0, dphi=0, grid=True):
        original = super(Surface, self).__call__ if self.plain is None else self.plain
        found = original(raw_of(theta), raw_of(phi), dtheta, dphi, grid)
        if not self.has_variables and is_plain(theta, phi):
            return found
        out = surface(self.held, theta, phi, dtheta, dphi, grid)
        return np.reshape(out, found.shape)

    def keep(self, knots, coefficients):
        """What is made of Variables, which has SciPy's values."""
        ours, theirs = raw_of(np.reshape(coefficients, -1)), self.raw("tck")[2]
        name = type(self).__name__
        if not np.allclose(ours, theirs, 0.0, 1e-6 * np.max(np.abs(theirs))):
            refuse(f"interpolate.{name}", "with so few data: many surfaces fit them")
        self.plain = copy.copy(self)
        self.plain.has_variables = False
        self.held = (*knots, coefficients, 3, 3)


@replace_class(interpolate)
class LSQSphereBivariateSpline(Sphere, interpolate.LSQSphereBivariateSpline):
    """``scipy.interpolate.LSQSphereBivariateSpline``"""

    def hold(self, theta, phi, r, tt, tp, w):
        self.held = (*self.raw("tck"), 3, 3)
        if not self.has_variables:
            return
        if not is_plain(tp):
            refuse("interpolate.LSQSphereBivariateSpline", "by its knots `tp`")
        down, across, _ = self.raw("tck")
        if not is_plain(tt):
            down = np.concatenate([down[:4], tt, down[-4:]])
        free = smooth_at_poles(len(raw_of(down)) - 4, across)
        rows = products(basis(down, 3, theta), basis(across, 3, phi)) @ free
        found = free @ np.linalg.lstsq(*weighted(rows, r, w))[0]
        self.keep((down, across), found)


@replace_class(interpolate)
class RectSphereBivariateSpline(Sphere, interpolate.RectSphereBivariateSpline):
    """``scipy.interpolate.RectSphereBivariateSpline``: it is linear in the values."""

    def hold(self, u, v, r, s, pole_continuity, pole_values, pole_flat):
        self.held = (*self.raw("tck"), 3, 3)
        if not self.has_variables:
            return
        name = "interpolate.RectSphereBivariateSpline"
        if not is_plain(u, v, s) or s:
            refuse(name, "by `u` or `v`, or with `s`")
        if pole_values is not None:
            refuse(name, "with `pole_values`")
        options = {"pole_continuity": pole_continuity, "pole_flat": pole_flat}
        original = interpolate.RectSphereBivariateSpline
        matrix = [
            original(u, v, unit.reshape(np.shape(r)), **options).tck[2]
            for unit in np.eye(np.size(raw_of(r)))
        ]
        self.keep(self.raw("tck")[:2], np.reshape(r, -1) @ np.stack(matrix))


def smooth_at_poles(rows, across):
    """A basis of the coefficients of surfaces that are smooth at the poles."""
    n = len(across) - 4
    ones, waves = np.ones((n, 1)), waves_of(across)
    around = np.eye(n - 3)[np.arange(n) % (n - 3)]
    blocks = np.zeros((rows, n, 6 + (rows - 4) * (n - 3)))
    for pole, beside, first in ((0, 1, 0), (rows - 1, rows - 2, 3)):
        blocks[pole, :, first : first + 1] = blocks[beside, :, first : first + 1] = ones
        blocks[beside, :, first + 1 : first + 3] = waves
    for row in range(2, rows - 2):
        first = 6 + (row - 2) * (n - 3)
        blocks[row, :, first : first + n - 3] = around
    return blocks.reshape(rows * n, -1)


def waves_of(across):
    """The coefficients that FITPACK has for the sine and the cosine, beside a pole."""
    table = np.meshgrid(
        np.linspace(0.1, 3.0, 12), np.linspace(0.0, 6.28, 4 * len(across))
    )
    theta, phi = map(np.ravel, table)
    found = []
    for wave in (np.cos, np.sin):
        values = np.sin(theta) * wave(phi)
        made = interpolate.LSQSphereBivariateSpline(
            *(theta, phi, values, [0.5 * np.pi], across[4:-4])
        )
        c = made.tck[2].reshape(-1, len(across) - 4)
        found.append(c[1] - c[0])
    return np.stack(found, axis=1)
