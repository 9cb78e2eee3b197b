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

from collections.abc import Callable
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from scipy import interpolate, spatial

from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.libraries import REPLACEMENTS
from srcgrad.scipy.grids import coordinates
from srcgrad.scipy.parameters import refuse
from srcgrad.scipy.splines import interp1d


# ----- Radial basis functions, of the squared distance -----
def root(square: Any) -> Any:
    """The distance; its slope is 0 where there is none."""
    is_zero = square == 0
    return np.where(is_zero, 0.0, np.sqrt(np.where(is_zero, 1.0, square)))


def thin_plate(square: Any) -> Any:
    is_zero = square == 0
    safe = np.where(is_zero, 1.0, square)
    return np.where(is_zero, 0.0, 0.5 * safe * np.log(safe))


KERNELS: dict[str, Callable[[Any], Any]] = {
    "linear": lambda square: -root(square),
    "thin_plate_spline": thin_plate,
    "cubic": lambda square: square * root(square),
    "quintic": lambda square: -(square**2) * root(square),
    "multiquadric": lambda square: -np.sqrt(square + 1.0),
    "inverse_multiquadric": lambda square: 1.0 / np.sqrt(square + 1.0),
    "inverse_quadratic": lambda square: 1.0 / (square + 1.0),
    "gaussian": lambda square: np.exp(-square),
}


def squares(a: Any, b: Any) -> Any:
    """The squared distances of the rows of one array from those of another."""
    return np.sum((a[:, None, :] - b[None, :, :]) ** 2, axis=-1)


def monomials(x: Any, degree: int) -> Any:
    """The products of coordinates up to a degree: a column for each."""
    columns = [np.ones(np.shape(x)[0]) + 0.0 * x[:, 0]]
    for order in range(1, degree + 1):
        for chosen in combinations_with_replacement(range(np.shape(x)[1]), order):
            columns.append(np.prod(x[:, list(chosen)], axis=1))
    return np.stack(columns[: None if degree >= 0 else 0] or columns, axis=1)


class RBFInterpolator(interpolate.RBFInterpolator):  # type: ignore[misc]
    """``scipy.interpolate.RBFInterpolator`` of all points at once"""

    def __init__(
        self,
        y: Any,
        d: Any,
        neighbors: Any = None,
        smoothing: Any = 0.0,
        kernel: str = "thin_plate_spline",
        epsilon: Any = None,
        degree: Any = None,
    ) -> None:
        given = y, d, smoothing, epsilon
        raw_y, raw_d, raw_smoothing, raw_epsilon = map(raw_of, given)
        super().__init__(
            *(raw_y, raw_d, neighbors, raw_smoothing, kernel, raw_epsilon, degree)
        )
        self.has_variables = first_variable(given) is not None
        plain = [self.y, np.asarray(raw_d), self.smoothing, self.epsilon]
        self.own = [
            item if first_variable(item) is not None else known
            for item, known in zip(given, plain, strict=True)
        ]
        self.degree = round_degree(self.powers)

    def __call__(self, x: Any) -> Any:
        if not self.has_variables and first_variable(x) is None:
            return super().__call__(x)
        if self.neighbors is not None:
            refuse("interpolate.RBFInterpolator", "with `neighbors`")
        y, d, smoothing, epsilon = self.own
        shape = np.shape(d)[1:]
        flat = np.reshape(d, (np.shape(d)[0], -1))
        kernel, n = KERNELS[self.kernel], np.shape(y)[0]
        matrix = kernel(epsilon**2 * squares(y, y)) + np.diag(
            np.broadcast_to(smoothing, (n,)) + np.zeros(n)
        )
        mixed = kernel(epsilon**2 * squares(x, y))
        if self.degree >= 0:
            # As SciPy, on coordinates of about one.
            powers = monomials((y - self.middle) / self.scale, self.degree)
            beside = monomials((x - self.middle) / self.scale, self.degree)
            m = np.shape(powers)[1]
            matrix = np.block([[matrix, powers], [powers.T, np.zeros((m, m))]])
            mixed = np.concatenate([mixed, beside], axis=1)
            flat = np.concatenate([flat, np.zeros((m, np.shape(flat)[1]))])
        out = mixed @ np.linalg.solve(matrix, flat)
        return np.reshape(out, (np.shape(x)[0], *shape))

    @property
    def middle(self) -> Any:
        return 0.5 * (np.max(self.y, axis=0) + np.min(self.y, axis=0))

    @property
    def scale(self) -> Any:
        half = 0.5 * (np.max(self.y, axis=0) - np.min(self.y, axis=0))
        return np.where(half == 0, 1.0, half)


def round_degree(powers: Any) -> int:
    """The degree of the polynomials: -1 for none."""
    return int(np.max(np.sum(powers, axis=1))) if len(powers) else -1


# ----- Triangles -----
class LinearNDInterpolator(interpolate.LinearNDInterpolator):  # type: ignore[misc]
    """``scipy.interpolate.LinearNDInterpolator``"""

    def __init__(
        self,
        points: Any,
        values: Any,
        fill_value: Any = np.nan,
        rescale: bool = False,
    ) -> None:
        is_made = isinstance(points, spatial.Delaunay)
        places = points.points if is_made else points
        if isinstance(places, tuple):
            places = coordinates(places, len(places))
        raw = points if is_made else raw_of(places)
        super().__init__(raw, raw_of(values), raw_of(fill_value), rescale)
        self.own = places, values
        self.outside, self.is_rescaled = fill_value, rescale
        self.has_variables = first_variable((places, values, fill_value)) is not None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not self.has_variables and first_variable((args, kwargs)) is None:
            return super().__call__(*args, **kwargs)
        if kwargs or self.is_rescaled:
            refuse("interpolate.LinearNDInterpolator", "with keywords, or rescaled")
        places, values = self.own
        ndim = np.shape(places)[1]
        x = coordinates(args[0] if len(args) == 1 else args, ndim)
        flat = np.reshape(x, (-1, ndim))
        which = self.tri.find_simplex(raw_of(flat))
        corners = self.tri.simplices[np.maximum(which, 0)]
        first = places[corners[:, 0]]
        edges = np.swapaxes(places[corners[:, 1:]] - first[:, None, :], 1, 2)
        share = np.linalg.solve(edges, (flat - first)[:, :, None])[:, :, 0]
        weights = np.concatenate([1.0 - np.sum(share, axis=1)[:, None], share], axis=1)
        more = (1,) * (np.ndim(values) - 1)
        out = np.sum(
            np.reshape(weights, (-1, ndim + 1, *more)) * values[corners], axis=1
        )
        out = np.where(np.reshape(which < 0, (-1, *more)), self.outside, out)
        return np.reshape(out, np.shape(x)[:-1] + np.shape(values)[1:])


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
        places = [
            tuple(map(raw_of, arg)) if isinstance(arg, tuple) else raw_of(arg)
            for arg in args
        ]
        return self.own[self.which(*places).astype(int)]


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
    if method != "linear":
        refuse("interpolate.griddata", f"with method={method!r}: use RBFInterpolator")
    return LinearNDInterpolator(points, values, fill_value, rescale)(xi)


for _own in (RBFInterpolator, LinearNDInterpolator, NearestNDInterpolator, griddata):
    REPLACEMENTS[getattr(interpolate, _own.__name__)] = _own
