"""``scipy.interpolate``: surfaces whose knots follow the data.

FITPACK puts one knot after another where the errors are largest: at their mean place,
which moves with the data. Then it makes the surface as stiff as ``s`` lets it be. All
of this is done again here, and compared with what SciPy has found.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import interpolate
>>> x, y = np.meshgrid(np.arange(5.0), np.arange(5.0))
>>> z = srcgrad.Variable(x * y**2, requires_grad=True)
>>> tck = interpolate.bisplrep(x, y, z, kx=1, ky=2)
>>> interpolate.bisplev(1.5, 2.0, tck).backward()
>>> z.grad.data.sum().round(6)
np.float64(1.0)
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import interpolate

from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.libraries import REPLACEMENTS
from srcgrad.scipy.interpolation.bsplines import basis
from srcgrad.scipy.interpolation.smoothing import balanced, jumps
from srcgrad.scipy.interpolation.surfaces import Surface
from srcgrad.scipy.parameters import refuse


@dataclass(frozen=True)
class Axis:
    """One of the two directions: its places, their ends, a degree, knots within."""

    places: Any
    ends: tuple[Any, Any]
    k: int
    inner: tuple[Any, ...] = ()

    @property
    def knots(self) -> Any:
        low, high = (np.reshape(end, (1,)) for end in self.ends)
        inner = [np.reshape(knot, (1,)) for knot in self.inner]
        return np.concatenate([low] * (self.k + 1) + inner + [high] * (self.k + 1))

    @property
    def rows(self) -> Any:
        return basis(self.knots, self.k, self.places)

    @property
    def stiffness(self) -> Any:
        """The jumps at knots within, as FITPACK scales them in each direction."""
        low, high = self.ends
        scale = (high - low) / (len(self.inner) + 1)
        return jumps(self.knots, self.k) * scale**self.k / factorial(self.k)

    def interval(self) -> Any:
        """The number of the interval of each place."""
        inner = np.array([raw_of(knot) for knot in self.inner])
        return np.searchsorted(inner, raw_of(self.places), "right")

    def with_knot(self, knot: Any) -> "Axis":
        inner = sorted((*self.inner, knot), key=lambda each: float(raw_of(each)))
        return Axis(self.places, self.ends, self.k, tuple(inner))


def factorial(k: int) -> float:
    return float(np.prod(np.arange(1.0, k + 1.0)))


def tensor(axes: Any) -> Any:
    """The products of the basis functions, a row for each place."""
    rows = axes[0].rows[:, :, None] * axes[1].rows[:, None, :]
    return np.reshape(rows, (np.shape(rows)[0], -1))


def fitted(axes: list[Axis], z: Any, w: Any, s: Any, found: Any, name: str) -> Any:
    """The knots and coefficients that SciPy has ``found``, of Variables."""
    ends = [np.asarray(found[i])[a.k + 1 : -a.k - 1] for i, a in enumerate(axes)]
    for _ in range(sum(map(len, ends))):
        axes = with_next_knot(axes, z, w, ends, name)
    rows = tensor(axes) * np.reshape(w, (-1, 1))
    down, across = (len(raw_of(a.knots)) - a.k - 1 for a in axes)
    parts = []
    if axes[0].inner:
        parts.append(np.kron(axes[0].stiffness, np.eye(across)))
    if axes[1].inner:
        parts.append(np.kron(np.eye(down), axes[1].stiffness))
    stiffness = np.concatenate(parts) if parts else np.zeros((1, down * across))
    c = balanced(rows, z * w, stiffness, s, found[2], name)
    if not np.allclose(raw_of(c), found[2], 0.0, 1e-5 * np.max(np.abs(found[2]))):
        refuse(f"interpolate.{name}", "with these data: many surfaces fit them")
    return axes[0].knots, axes[1].knots, c


def with_next_knot(axes: list[Axis], z: Any, w: Any, found: Any, name: str) -> Any:
    """One more knot, where the errors of the surface so far are largest."""
    rows = tensor(axes) * np.reshape(w, (-1, 1))
    squares = (rows @ np.linalg.lstsq(rows, z * w)[0] - z * w) ** 2
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


def ends_of(places: Any, low: Any, high: Any) -> tuple[Any, Any]:
    return (
        np.min(places) if low is None else low,
        np.max(places) if high is None else high,
    )


def bisplrep(
    x: Any,
    y: Any,
    z: Any,
    w: Any = None,
    xb: Any = None,
    xe: Any = None,
    yb: Any = None,
    ye: Any = None,
    kx: int = 3,
    ky: int = 3,
    task: int = 0,
    s: Any = None,
    eps: float = 1e-16,
    tx: Any = None,
    ty: Any = None,
    full_output: Any = 0,
    nxest: Any = None,
    nyest: Any = None,
    quiet: Any = 1,
) -> Any:
    """``scipy.interpolate.bisplrep``; on given knots it is LSQBivariateSpline."""
    given = x, y, z, w, xb, xe, yb, ye, s, tx, ty
    raws = [raw_of(item) for item in given]
    found = interpolate.bisplrep(
        *(*raws[:8], kx, ky, task, raws[8], eps, *raws[9:], full_output),
        *(nxest, nyest, quiet),
    )
    if first_variable(given) is None:
        return found
    if task or full_output:
        refuse("interpolate.bisplrep", "with `task` or `full_output`")
    x, y, z = (np.reshape(item, -1) for item in (x, y, z))
    m = np.size(raws[2])
    w = np.ones(m) if w is None else w
    s = m - np.sqrt(2.0 * m) if s is None else s
    axes = [Axis(x, ends_of(x, xb, xe), kx), Axis(y, ends_of(y, yb, ye), ky)]
    return [*fitted(axes, z, w, s, found, "bisplrep"), kx, ky]


class SmoothBivariateSpline(
    Surface,
    interpolate.SmoothBivariateSpline,  # type: ignore[misc]
):
    """``scipy.interpolate.SmoothBivariateSpline``"""

    def __init__(
        self,
        x: Any,
        y: Any,
        z: Any,
        w: Any = None,
        bbox: Any = (None,) * 4,
        kx: int = 3,
        ky: int = 3,
        s: Any = None,
        eps: Any = 1e-16,
    ) -> None:
        given = x, y, z, w, s
        *raws, raw_s = map(raw_of, given)
        super().__init__(*raws, list(bbox), kx, ky, raw_s, eps)
        self.has_variables = first_variable(given) is not None
        self.held = (*self.raw("tck"), kx, ky)
        if self.has_variables:
            m = np.size(raws[2])
            w = np.ones(m) if w is None else w
            axes = [
                Axis(x, ends_of(x, *bbox[:2]), kx),
                Axis(y, ends_of(y, *bbox[2:]), ky),
            ]
            s = m if s is None else s
            name = "SmoothBivariateSpline"
            self.held = (*fitted(axes, z, w, s, self.raw("tck"), name), kx, ky)


for _own in (bisplrep, SmoothBivariateSpline):
    REPLACEMENTS[getattr(interpolate, _own.__name__)] = _own
