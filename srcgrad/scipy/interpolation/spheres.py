"""``scipy.interpolate``: surfaces over a sphere.

At a pole a surface has one value and one slope in each direction; so its coefficients
are made of fewer numbers, found by least squares.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import interpolate
>>> u, v = np.array([0.5, 1.2, 2.0, 2.8]), np.array([0.0, 1.5, 3.0, 4.5])
>>> r = srcgrad.Variable(np.outer(np.sin(u), np.cos(v)), requires_grad=True)
>>> interpolate.RectSphereBivariateSpline(u, v, r).ev(1.2, 1.5).backward()
>>> r.grad.data[1].round(6) + 0.0  # it goes through the values
array([0., 1., 0., 0.])
"""

import copy
from typing import Any, ClassVar

import numpy as np
from scipy import interpolate

from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.libraries import REPLACEMENTS
from srcgrad.scipy.interpolation.bsplines import basis
from srcgrad.scipy.interpolation.surfaces import surface, tck_of
from srcgrad.scipy.members import WithMembers
from srcgrad.scipy.parameters import refuse
from srcgrad.tape.operands import unwrap


class Sphere(WithMembers):
    """What these share: they are SciPy's without Variables."""

    MEMBERS: ClassVar[Any] = {
        "tck": lambda self: tck_of((*self.knots, self.coefficients)),
        "fp": None,
    }
    coefficients: Any
    knots: Any
    plain: Any  # the same of numbers

    def __call__(
        self, theta: Any, phi: Any, dtheta: int = 0, dphi: int = 0, grid: bool = True
    ) -> Any:
        raws = raw_of(theta), raw_of(phi)
        plain: Any = self.plain if self.has_variables else super()
        found = plain.__call__(*raws, dtheta, dphi, grid)
        if not self.has_variables and first_variable((theta, phi)) is None:
            return found
        held = (*self.knots, self.coefficients, 3, 3)
        return np.reshape(surface(held, theta, phi, dtheta, dphi, grid), found.shape)

    def ev(self, theta: Any, phi: Any, dtheta: int = 0, dphi: int = 0) -> Any:
        return self(theta, phi, dtheta, dphi, False)

    def get_coeffs(self) -> Any:
        return np.reshape(self.coefficients, -1)

    def get_knots(self) -> Any:
        return self.knots

    def get_residual(self) -> Any:
        if self.has_variables:
            refuse("interpolate", "of a surface's residual: it is a sum of squares")
        return super().get_residual()  # type: ignore[misc]

    def hold(self, knots: Any, coefficients: Any, name: str) -> None:
        """Keep what is made of Variables, which has SciPy's values."""
        ours, theirs = raw_of(np.reshape(coefficients, -1)), self.raw("tck")[2]
        if not np.allclose(ours, theirs, 0.0, 1e-6 * np.max(np.abs(theirs))):
            refuse(f"interpolate.{name}", "with so few data: many surfaces fit them")
        self.plain = copy.copy(self)
        self.knots, self.coefficients = knots, coefficients
        self.has_variables = True


class LSQSphereBivariateSpline(
    Sphere,
    interpolate.LSQSphereBivariateSpline,  # type: ignore[misc]
):
    """``scipy.interpolate.LSQSphereBivariateSpline``"""

    def __init__(
        self,
        theta: Any,
        phi: Any,
        r: Any,
        tt: Any,
        tp: Any,
        w: Any = None,
        eps: float = 1e-16,
    ) -> None:
        given = theta, phi, r, tt, tp, w
        super().__init__(*map(raw_of, given), eps)
        down, across, self.coefficients = self.tck
        self.knots = down, across
        if first_variable(given) is None:
            return
        if first_variable(tp) is not None:
            refuse("interpolate.LSQSphereBivariateSpline", "by its knots `tp`")
        if first_variable(tt) is not None:
            down = np.concatenate([down[:4], tt, down[-4:]])
        free = smooth_at_poles(len(raw_of(down)) - 4, across)
        rows = basis(down, 3, theta)[:, :, None] * basis(across, 3, phi)[:, None, :]
        rows = np.reshape(rows, (np.shape(rows)[0], -1)) @ free
        if w is not None:
            rows, r = rows * np.reshape(w, (-1, 1)), r * w
        found = free @ np.linalg.lstsq(rows, r)[0]
        self.hold((down, across), found, "LSQSphereBivariateSpline")


class RectSphereBivariateSpline(
    Sphere,
    interpolate.RectSphereBivariateSpline,  # type: ignore[misc]
):
    """``scipy.interpolate.RectSphereBivariateSpline``: it is linear in the values."""

    def __init__(
        self,
        u: Any,
        v: Any,
        r: Any,
        s: Any = 0.0,
        pole_continuity: Any = False,
        pole_values: Any = None,
        pole_exact: Any = False,
        pole_flat: Any = False,
    ) -> None:
        given = u, v, r, s, pole_continuity, pole_values, pole_exact, pole_flat
        super().__init__(*unwrap(given))
        *self.knots, self.coefficients = self.tck
        if first_variable(given) is None:
            return
        if first_variable((u, v, s)) is not None or s:
            refuse(
                "interpolate.RectSphereBivariateSpline", "by `u` or `v`, or with `s`"
            )
        if pole_values is not None:
            refuse("interpolate.RectSphereBivariateSpline", "with `pole_values`")
        options = {"pole_continuity": pole_continuity, "pole_flat": pole_flat}
        original = interpolate.RectSphereBivariateSpline
        units = np.eye(np.size(unwrap(r)))
        matrix = [
            original(u, v, unit.reshape(np.shape(r)), **options).tck[2]
            for unit in units
        ]
        found = np.reshape(r, -1) @ np.stack(matrix)
        self.hold(self.knots, found, "RectSphereBivariateSpline")


def smooth_at_poles(rows: int, across: Any) -> Any:
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


def waves_of(across: Any) -> Any:
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


for _own in (LSQSphereBivariateSpline, RectSphereBivariateSpline):
    REPLACEMENTS[getattr(interpolate, _own.__name__)] = _own
