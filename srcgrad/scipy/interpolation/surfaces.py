"""``scipy.interpolate``: surfaces made of splines of two variables.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import interpolate
>>> z = srcgrad.Variable(np.arange(16.0).reshape(4, 4), requires_grad=True)
>>> surface = interpolate.RectBivariateSpline(np.arange(4.0), np.arange(4.0), z)
>>> surface.integral(0.0, 3.0, 0.0, 3.0).backward()
>>> z.grad.data[:2].round(6)
array([[0.140625, 0.421875, 0.421875, 0.140625],
       [0.421875, 1.265625, 1.265625, 0.421875]])
"""

from typing import Any, ClassVar

import numpy as np
from scipy import interpolate

from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.libraries import REPLACEMENTS
from srcgrad.scipy.interpolation.bsplines import Curve, basis, through
from srcgrad.scipy.interpolation.fitpack import integral
from srcgrad.scipy.members import WithMembers
from srcgrad.scipy.parameters import refuse


def surface(tck: Any, x: Any, y: Any, dx: int, dy: int, grid: bool) -> Any:
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


def bisplev(x: Any, y: Any, tck: Any, dx: int = 0, dy: int = 0) -> Any:
    """``scipy.interpolate.bisplev``"""
    if first_variable((x, y, tck)) is None:
        return interpolate.bisplev(x, y, tck, dx, dy)
    out = surface(tck, x, y, dx, dy, True)
    if np.shape(out)[0] > 1:
        return out
    return out[0] if np.shape(out)[1] > 1 else out[0, 0]


class Surface(WithMembers):
    """What these share: they are SciPy's without Variables."""

    MEMBERS: ClassVar[Any] = {"tck": lambda self: tck_of(self.held), "fp": None}
    held: Any

    def __call__(
        self, x: Any, y: Any, dx: int = 0, dy: int = 0, grid: bool = True
    ) -> Any:
        if not self.has_variables and first_variable((x, y)) is None:
            return super().__call__(x, y, dx, dy, grid)  # type: ignore[misc]
        return surface(self.held, x, y, dx, dy, grid)

    def ev(self, xi: Any, yi: Any, dx: int = 0, dy: int = 0) -> Any:
        return self(xi, yi, dx, dy, False)

    def integral(self, xa: Any, xb: Any, ya: Any, yb: Any) -> Any:
        if not self.has_variables and first_variable((xa, xb, ya, yb)) is None:
            return super().integral(xa, xb, ya, yb)  # type: ignore[misc]
        tx, ty, c, kx, ky = self.held
        down, across = (
            integral(Curve(t, np.eye(np.shape(t)[0] - k - 1), k), *ends)
            for t, k, ends in ((tx, kx, (xa, xb)), (ty, ky, (ya, yb)))
        )
        return down @ np.reshape(c, (np.shape(down)[0], -1)) @ across

    def get_coeffs(self) -> Any:
        return np.reshape(self.held[2], -1)

    def get_knots(self) -> Any:
        return self.held[:2]

    def get_residual(self) -> Any:
        if self.has_variables:
            refuse("interpolate", "of a surface's residual: it is a sum of squares")
        return super().get_residual()  # type: ignore[misc]

    def partial_derivative(self, dx: int, dy: int) -> Any:
        if self.has_variables:
            refuse("interpolate", "of a surface's `partial_derivative`: use dx and dy")
        return super().partial_derivative(dx, dy)  # type: ignore[misc]


def tck_of(held: Any) -> Any:
    """The knots, and the coefficients in one row."""
    return *held[:2], np.reshape(held[2], -1)


class RectBivariateSpline(Surface, interpolate.RectBivariateSpline):  # type: ignore[misc]
    """``scipy.interpolate.RectBivariateSpline`` with ``s=0``"""

    def __init__(
        self,
        x: Any,
        y: Any,
        z: Any,
        bbox: Any = (None,) * 4,
        kx: int = 3,
        ky: int = 3,
        s: Any = 0,
        maxit: int = 20,
    ) -> None:
        super().__init__(*map(raw_of, (x, y, z)), list(bbox), kx, ky, s, maxit)
        self.has_variables = first_variable((x, y, z)) is not None
        self.held = (*self.raw("tck"), kx, ky)
        if self.has_variables:
            if s or any(end is not None for end in bbox):
                refuse("interpolate.RectBivariateSpline", "with `s` or `bbox`")
            down = through(x, z, kx)
            across = through(y, down.coefficients.T, ky)
            c = across.coefficients.T
            self.held = (down.knots, across.knots, c, kx, ky)


class LSQBivariateSpline(Surface, interpolate.LSQBivariateSpline):  # type: ignore[misc]
    """``scipy.interpolate.LSQBivariateSpline``"""

    def __init__(
        self,
        x: Any,
        y: Any,
        z: Any,
        tx: Any,
        ty: Any,
        w: Any = None,
        bbox: Any = (None,) * 4,
        kx: int = 3,
        ky: int = 3,
        eps: Any = None,
    ) -> None:
        given = x, y, z, tx, ty, w
        super().__init__(*map(raw_of, given), list(bbox), kx, ky, eps)
        self.has_variables = first_variable(given) is not None
        self.held = (*self.raw("tck"), kx, ky)
        if self.has_variables:
            # Where the outer knots are makes no difference.
            down, across = (
                np.concatenate([t[: k + 1], inner, t[-k - 1 :]])
                for t, inner, k in (
                    (self.raw("tck")[0], tx, kx),
                    (self.raw("tck")[1], ty, ky),
                )
            )
            rows = basis(down, kx, x)[:, :, None] * basis(across, ky, y)[:, None, :]
            rows = np.reshape(rows, (np.shape(rows)[0], -1))
            if w is not None:
                rows, z = rows * np.reshape(w, (-1, 1)), z * w
            self.held = (down, across, np.linalg.lstsq(rows, z)[0], kx, ky)


for _own in (bisplev, RectBivariateSpline, LSQBivariateSpline):
    REPLACEMENTS[getattr(interpolate, _own.__name__)] = _own
