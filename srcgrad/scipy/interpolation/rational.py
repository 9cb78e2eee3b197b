"""``scipy.interpolate``: rational functions through points."""

import numpy as np
from scipy import interpolate

from srcgrad.protocols import raw_of
from srcgrad.scipy.interpolation.pieces import floats, moved
from srcgrad.scipy.parameters import refuse
from srcgrad.scipy.replacing import OfVariables, is_plain, of_variables, replace_class


def barycentric(places, values, weights, z):
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


def blended(places, d):
    """Floater's and Hormann's weights, for points in order: sums over windows."""
    n = np.shape(places)[0]
    windows = np.arange(n - d)[:, None] + np.arange(d + 1)
    within = places[windows]
    apart = np.abs(within[:, :, None] - within[:, None, :])
    inverse = 1.0 / np.prod(np.where(np.eye(d + 1) == 1.0, 1.0, apart), axis=-1)
    belongs = 1.0 * (np.reshape(windows, (-1, 1)) == np.arange(n))
    return (-1.0) ** (np.arange(n) - d) * (np.reshape(inverse, -1) @ belongs)


class Rational(OfVariables):
    """What these share: ``support`` are the places, the values and the weights."""

    MEMBERS = {
        "weights": lambda self: self.support[2],
        **{name: f"by its `{name}`" for name in ("poles", "roots", "residues")},
    }

    def held(self):
        if self.has_variables:
            return self.support
        return self._support_points, self._support_values, self.weights

    @of_variables
    def __call__(self, z):
        z = floats(z)
        places, values, weights = self.held()
        out = barycentric(places, values, weights, z)
        return moved(out, np.ndim(z), self._axis) if np.ndim(z) else out


@replace_class(interpolate)
class FloaterHormannInterpolator(Rational, interpolate.FloaterHormannInterpolator):
    """``scipy.interpolate.FloaterHormannInterpolator``"""

    def hold(self, points, values, d, axis):
        if self.has_variables:
            kept = np.flatnonzero(np.isin(raw_of(points), self._support_points))
            kept = kept[np.argsort(raw_of(points)[kept])]
            places = self._support_points if is_plain(points) else points[kept]
            table = np.moveaxis(values, axis, 0)[kept]
            self.support = places, table, blended(places, d)


@replace_class(interpolate)
class AAA(Rational, interpolate.AAA):
    """``scipy.interpolate.AAA``, by the point"""

    def __init__(self, x, y, **options):
        if not is_plain(x, y):
            refuse(
                "interpolate.AAA",
                "by the data, of which it chooses a part: use "
                "FloaterHormannInterpolator",
            )
        super().__init__(x, y, **options)
