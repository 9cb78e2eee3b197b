"""``scipy.interpolate``: smooth surfaces over triangles, by Clough and Tocher."""

import numpy as np
from scipy import interpolate

from srcgrad.protocols import raw_of
from srcgrad.scipy.interpolation.scattered import OverTriangles, shares
from srcgrad.scipy.replacing import replace_class
from srcgrad.updates import scatter


@replace_class(interpolate)
class CloughTocher2DInterpolator(OverTriangles, interpolate.CloughTocher2DInterpolator):
    """``scipy.interpolate.CloughTocher2DInterpolator``"""

    MEMBERS = {
        **OverTriangles.MEMBERS,
        "grad": lambda self: np.swapaxes(self.slopes(), 1, 2),
    }

    def slopes(self):
        """SciPy's, found by an iteration, with the derivative of the exact ones."""
        places, values = self.own
        flat = np.reshape(values, (np.shape(places)[0], -1))
        slopes = exact_slopes(places, flat, self.raw("tri"))
        found = np.reshape(self.raw("grad"), (len(flat), -1, 2))
        return np.swapaxes(found, 1, 2) + (slopes - raw_of(slopes))

    def between(self, share, which, corners):
        places, values = self.own
        flat = np.reshape(values, (np.shape(places)[0], -1))
        slopes, triangles = self.slopes(), self.raw("tri")
        out = patch(
            share,
            places[corners],
            flat[corners],
            slopes[corners],
            [ratios(places, triangles, which, k) for k in range(3)],
        )
        return np.reshape(out, (np.shape(out)[0], *np.shape(values)[1:]))


def exact_slopes(places, values, triangles):
    """At each point, so that the surface bends least along the edges."""
    n = np.shape(places)[0]
    ends, other = triangles.vertex_neighbor_vertices
    own = np.repeat(np.arange(n), np.diff(ends))
    edge = places[other] - places[own]
    along = edge / np.sum(edge**2, axis=1)[:, None] ** 1.5
    blocks = edge[:, :, None] * along[:, None, :]
    rows, columns = np.concatenate([own, own]), np.concatenate([own, other])
    parts = np.concatenate([4.0 * blocks, 2.0 * blocks])
    matrix = scatter(parts, (rows, columns), (n, n, 2, 2))
    matrix = np.reshape(np.swapaxes(matrix, 1, 2), (2 * n, 2 * n))
    rise = 6.0 * (values[other] - values[own])
    shape = n, 2, np.shape(values)[1]
    right = scatter(along[:, :, None] * rise[:, None, :], (own,), shape)
    found = np.linalg.solve(matrix, np.reshape(right, (2 * n, -1)))
    return np.reshape(found, shape)


def ratios(places, triangles, which, k):
    """How the middle of a triangle's neighbour lies, opposite to its corner ``k``."""
    which = np.maximum(which, 0)
    neighbour = triangles.neighbors[which, k]
    middle = np.mean(places[triangles.simplices[neighbour]], axis=1)
    c = shares(places[triangles.simplices[which]], middle)
    first, second = c[:, (k + 2) % 3], c[:, (k + 1) % 3]
    ratio = (2.0 * first + second - 1.0) / (2.0 - 3.0 * first - 3.0 * second)
    return np.where(neighbour < 0, -0.5, ratio)[:, None]


def patch(share, corners, f, slopes, g):
    """The cubic on one of the three parts of a triangle, by Bézier's coefficients.

    ``c[i, j, k, l]`` belongs to the corners so many times, ``l`` times to the middle.
    """
    c = {}

    def place(*corners):
        return tuple(corners.count(i) for i in range(4))

    for i in range(3):
        c[place(i, i, i)] = f[:, i]
        for j in range(3):
            if i != j:
                edge = corners[:, j] - corners[:, i]
                rise = np.sum(edge[:, :, None] * slopes[:, i], axis=1)
                c[place(i, i, j)] = f[:, i] + rise / 3.0
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        around = c[place(i, i, i)] + c[place(i, i, j)] + c[place(i, i, k)]
        c[place(i, i, 3)] = around / 3.0
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        start, end = c[place(j, j, j)], c[place(k, k, k)]
        near, far = c[place(j, j, k)], c[place(j, k, k)]
        third = end - 3.0 * far + 3.0 * near - start
        second = -start + 2.0 * near - far + c[place(k, k, 3)] + c[place(j, j, 3)]
        c[place(j, k, 3)] = (g[i] * third + second) / 2.0
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        around = c[place(i, j, 3)] + c[place(i, k, 3)] + c[place(i, i, 3)]
        c[place(i, 3, 3)] = around / 3.0
    middle = c[place(0, 3, 3)] + c[place(1, 3, 3)] + c[place(2, 3, 3)]
    c[place(3, 3, 3)] = middle / 3.0
    least = np.min(share, axis=1, keepdims=True)
    b = np.concatenate([share - least, 3.0 * least], axis=1)
    return sum(
        FACTORIALS[max(powers)] * power(b, powers) * value
        for powers, value in c.items()
    )


# 3! over the product of the factorials of the powers, by the highest of these.
FACTORIALS = {3: 1.0, 2: 3.0, 1: 6.0}


def power(b, powers):
    factors = [b[:, i] ** n for i, n in enumerate(powers) if n]
    return np.prod(np.stack(factors), axis=0)[:, None]
