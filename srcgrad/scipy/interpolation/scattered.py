"""``scipy.interpolate``: values at scattered points, by the values and all points.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import interpolate
>>> corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
>>> values = srcgrad.Variable(np.array([1.0, 2.0, 5.0]), requires_grad=True)
>>> interpolate.griddata(corners, values, np.array([[0.25, 0.5]])).sum().backward()
>>> values.grad.data
array([0.25, 0.25, 0.5 ])
"""

from typing import Any, ClassVar

import numpy as np
from scipy import interpolate, spatial

from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.libraries import REPLACEMENTS
from srcgrad.scipy.interpolation.grids import coordinates
from srcgrad.scipy.interpolation.splines import interp1d
from srcgrad.scipy.members import WithMembers
from srcgrad.scipy.parameters import refuse


# ----- Triangles -----
class OverTriangles(WithMembers):
    """What these share: they are SciPy's without Variables."""

    MEMBERS: ClassVar[Any] = {
        "points": lambda self: self.own[0],
        "values": lambda self: self.own[1],
        "tri": lambda self: self.triangles(),
    }

    def hold(self, points: Any, values: Any, fill_value: Any, rescale: bool) -> Any:
        """Keep what there is; what SciPy's own gets of it."""
        is_made = isinstance(points, spatial.Delaunay)
        places = points.points if is_made else points
        if isinstance(places, tuple):
            places = coordinates(places, len(places))
        self.own = places, values
        self.outside, self.is_rescaled = fill_value, rescale
        self.of_variables = first_variable((places, values, fill_value)) is not None
        is_plain = is_made and first_variable(places) is None
        raw = points if is_plain else raw_of(places)
        return raw, raw_of(values), raw_of(fill_value)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not self.has_variables and first_variable((args, kwargs)) is None:
            return super().__call__(*args, **kwargs)  # type: ignore[misc]
        if kwargs or self.is_rescaled:
            name = type(self).__name__
            refuse(f"interpolate.{name}", "with keywords, or rescaled")
        places, values = self.own
        ndim = np.shape(places)[1]
        x = coordinates(args[0] if len(args) == 1 else args, ndim)
        flat = np.reshape(x, (-1, ndim))
        tri = self.raw("tri")
        which = tri.find_simplex(raw_of(flat))
        corners = tri.simplices[np.maximum(which, 0)]
        out = self.between(shares(places[corners], flat), which, corners)
        is_out = np.reshape(which < 0, (-1,) + (1,) * (np.ndim(values) - 1))
        out = np.where(is_out, self.outside, out)
        return np.reshape(out, np.shape(x)[:-1] + np.shape(values)[1:])

    def triangles(self) -> Any:
        places, tri = self.own[0], self.raw("tri")
        if first_variable(places) is None:
            return tri
        return REPLACEMENTS[spatial.Delaunay](places)

    def between(self, share: Any, which: Any, corners: Any) -> Any:
        """The values at points with these shares of the corners of triangles."""
        raise NotImplementedError


def shares(corners: Any, x: Any) -> Any:
    """The barycentric coordinates of points in triangles."""
    edges = np.swapaxes(corners[:, 1:] - corners[:, :1], 1, 2)
    found = np.linalg.solve(edges, (x - corners[:, 0])[:, :, None])[:, :, 0]
    return np.concatenate([1.0 - np.sum(found, axis=1)[:, None], found], axis=1)


class LinearNDInterpolator(
    OverTriangles,
    interpolate.LinearNDInterpolator,  # type: ignore[misc]
):
    """``scipy.interpolate.LinearNDInterpolator``"""

    def __init__(
        self,
        points: Any,
        values: Any,
        fill_value: Any = np.nan,
        rescale: bool = False,
    ) -> None:
        super().__init__(*self.hold(points, values, fill_value, rescale), rescale)
        self.has_variables = self.of_variables

    def between(self, share: Any, which: Any, corners: Any) -> Any:
        values = self.own[1][corners]
        return np.sum(
            np.reshape(share, (*share.shape, *(1,) * (np.ndim(values) - 2))) * values,
            axis=1,
        )


class NearestNDInterpolator(interpolate.NearestNDInterpolator):  # type: ignore[misc]
    """``scipy.interpolate.NearestNDInterpolator``: who is nearest is a step."""

    def __init__(self, x: Any, y: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(raw_of(x), raw_of(y), *args, **kwargs)
        self.own = y
        numbers = np.arange(np.shape(raw_of(x))[0], dtype=float)
        self.which = interpolate.NearestNDInterpolator(
            raw_of(x), numbers, *args, **kwargs
        )

    def __call__(self, *args: Any, **options: Any) -> Any:
        if first_variable((self.own, args)) is None:
            return super().__call__(*args, **options)
        if options:
            refuse("interpolate.NearestNDInterpolator", "with options of the tree")
        return self.own[self.which(*places_of(args)).astype(int)]


def places_of(args: Any) -> list[Any]:
    """Points as ndarrays, whatever they are given as."""
    return [
        tuple(map(raw_of, arg)) if isinstance(arg, tuple) else raw_of(arg)
        for arg in args
    ]


def griddata(
    points: Any,
    values: Any,
    xi: Any,
    method: str = "linear",
    fill_value: Any = np.nan,
    rescale: bool = False,
) -> Any:
    """``scipy.interpolate.griddata``"""
    if first_variable((points, values, xi, fill_value)) is None:
        return interpolate.griddata(points, values, xi, method, fill_value, rescale)
    ndim = np.ndim(points) if not isinstance(points, (tuple, list)) else len(points)
    if isinstance(points, list):
        ndim = np.ndim(points)
    if ndim == 1:
        places = points[0] if isinstance(points, tuple) else points
        at = xi[0] if isinstance(xi, tuple) else xi
        places = np.ravel(places) if first_variable(places) is None else places
        return interp1d(
            *(places, values, method, 0, True, False),
            "extrapolate" if method == "nearest" else fill_value,
        )(at)
    if isinstance(points, tuple):
        points = coordinates(points, ndim)
    if method == "nearest":
        return NearestNDInterpolator(points, values, rescale=rescale)(xi)
    if method == "cubic":
        smooth = REPLACEMENTS[interpolate.CloughTocher2DInterpolator]
        return smooth(points, values, fill_value, rescale=rescale)(xi)
    return LinearNDInterpolator(points, values, fill_value, rescale)(xi)


for _own in (LinearNDInterpolator, NearestNDInterpolator, griddata):
    REPLACEMENTS[getattr(interpolate, _own.__name__)] = _own
