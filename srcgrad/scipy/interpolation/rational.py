"""``scipy.interpolate``: rational functions through points.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import interpolate
>>> y = srcgrad.Variable(np.array([0.0, 1.0, 4.0, 9.0]), requires_grad=True)
>>> interpolate.FloaterHormannInterpolator(np.arange(4.0), y, d=3)(1.5).backward()
>>> y.grad.data
array([-0.0625,  0.5625,  0.5625, -0.0625])
"""

from typing import Any, ClassVar

import numpy as np
from scipy import interpolate

from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.libraries import REPLACEMENTS
from srcgrad.scipy.interpolation.pieces import moved
from srcgrad.scipy.members import WithMembers
from srcgrad.scipy.parameters import refuse


def barycentric(places: Any, values: Any, weights: Any, z: Any) -> Any:
    """The value at each point: means of the values, by their weights.

    All is multiplied by the distance from the nearest place, so none of it is infinite.
    """
    near = np.argmin(np.abs(raw_of(z)[..., None] - raw_of(places)), axis=-1)
    is_near = near[..., None] == np.arange(np.shape(places)[0])
    apart = z[..., None] - places
    own = np.take_along_axis(apart, near[..., None], axis=-1)
    shares = weights * np.where(is_near, 1.0, own / np.where(is_near, 1.0, apart))
    flat = np.reshape(values, (np.shape(values)[0], -1))
    out = (shares @ flat) / np.sum(shares, axis=-1, keepdims=True)
    return np.reshape(out, np.shape(z) + np.shape(values)[1:])


def blended(places: Any, d: int) -> Any:
    """Floater's and Hormann's weights, for points in order: sums over windows."""
    n = np.shape(places)[0]
    windows = np.arange(n - d)[:, None] + np.arange(d + 1)
    within = places[windows]
    apart = np.abs(within[:, :, None] - within[:, None, :])
    inverse = 1.0 / np.prod(np.where(np.eye(d + 1) == 1.0, 1.0, apart), axis=-1)
    belongs = 1.0 * (np.reshape(windows, (-1, 1)) == np.arange(n))
    return (-1.0) ** (np.arange(n) - d) * (np.reshape(inverse, -1) @ belongs)


class Rational(WithMembers):
    """What these share: they are SciPy's without Variables."""

    MEMBERS: ClassVar[Any] = {"weights": lambda self: self.support[2]}
    support: Any  # the places, the values and the weights

    def held(self) -> Any:
        if self.has_variables:
            return self.support
        names = "_support_points", "_support_values", "weights"
        return tuple(getattr(self, name) for name in names)

    def __call__(self, z: Any) -> Any:
        if not self.has_variables and first_variable(z) is None:
            return super().__call__(z)  # type: ignore[misc]
        z = z if first_variable(z) is not None else np.asarray(z, float)
        places, values, weights = self.held()
        out = barycentric(places, values, weights, z)
        return moved(out, np.ndim(z), self._axis) if np.ndim(z) else out

    def checked(self, name: str) -> Any:
        if self.has_variables:
            refuse(f"interpolate.{type(self).__name__}", f"by its `{name}`")
        return getattr(super(), name)()

    def poles(self) -> Any:
        return self.checked("poles")

    def roots(self) -> Any:
        return self.checked("roots")

    def residues(self) -> Any:
        return self.checked("residues")


class FloaterHormannInterpolator(
    Rational,
    interpolate.FloaterHormannInterpolator,  # type: ignore[misc]
):
    """``scipy.interpolate.FloaterHormannInterpolator``"""

    def __init__(self, points: Any, values: Any, *, d: int = 3, axis: int = 0) -> None:
        super().__init__(raw_of(points), raw_of(values), d=d, axis=axis)
        has_variables = first_variable((points, values)) is not None
        if has_variables:
            kept = np.flatnonzero(np.isin(raw_of(points), self._support_points))
            kept = kept[np.argsort(raw_of(points)[kept])]
            places = (
                points[kept]
                if first_variable(points) is not None
                else (self._support_points)
            )
            table = np.moveaxis(values, axis, 0)[kept]
            self.support = places, table, blended(places, d)
        self.has_variables = has_variables


class AAA(Rational, interpolate.AAA):  # type: ignore[misc]
    """``scipy.interpolate.AAA``, by the point"""

    def __init__(self, x: Any, y: Any, **options: Any) -> None:
        if first_variable((x, y)) is not None:
            refuse(
                "interpolate.AAA",
                "by the data, of which it chooses a part: use "
                "FloaterHormannInterpolator",
            )
        super().__init__(x, y, **options)


for _own in (FloaterHormannInterpolator, AAA):
    REPLACEMENTS[getattr(interpolate, _own.__name__)] = _own
