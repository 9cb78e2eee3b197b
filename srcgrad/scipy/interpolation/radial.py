"""``scipy.interpolate``: radial basis functions, by the values and all points."""

from itertools import combinations_with_replacement

import numpy as np
from scipy import interpolate, spatial

from srcgrad.protocols import raw_of
from srcgrad.rules.scipy.distances import cdist
from srcgrad.scipy.parameters import refuse
from srcgrad.scipy.replacing import OfVariables, is_plain, of_variables, replace_class


# ----- Functions of the squared distance -----
def root(square):
    """The distance; its slope is 0 where there is none."""
    is_zero = square == 0
    return np.where(is_zero, 0.0, np.sqrt(np.where(is_zero, 1.0, square)))


def thin_plate(square):
    is_zero = square == 0
    safe = np.where(is_zero, 1.0, square)
    return np.where(is_zero, 0.0, 0.5 * safe * np.log(safe))


KERNELS = {
    "linear": lambda square: -root(square),
    "thin_plate_spline": thin_plate,
    "cubic": lambda square: square * root(square),
    "quintic": lambda square: -(square**2) * root(square),
    "multiquadric": lambda square: -np.sqrt(square + 1.0),
    "inverse_multiquadric": lambda square: 1.0 / np.sqrt(square + 1.0),
    "inverse_quadratic": lambda square: 1.0 / (square + 1.0),
    "gaussian": lambda square: np.exp(-square),
}


def squares(a, b):
    """The squared distances of the rows of one array from those of another."""
    return np.sum((a[:, None, :] - b[None, :, :]) ** 2, axis=-1)


def monomials(x, degree):
    """The products of coordinates up to a degree: a column for each."""
    columns = [np.ones(np.shape(x)[0]) + 0.0 * x[:, 0]]
    for order in range(1, degree + 1):
        for chosen in combinations_with_replacement(range(np.shape(x)[1]), order):
            columns.append(np.prod(x[:, list(chosen)], axis=1))
    return np.stack(columns[: None if degree >= 0 else 0] or columns, axis=1)


@replace_class(interpolate)
class RBFInterpolator(OfVariables, interpolate.RBFInterpolator):
    """``scipy.interpolate.RBFInterpolator`` of all points at once"""

    MEMBERS = {
        "y": lambda self: self.own[0],
        "d": lambda self: self.own[1],
        "smoothing": lambda self: self.own[2] + 0.0 * self.raw("smoothing"),
        "epsilon": lambda self: self.own[3],
    }

    def hold(self, y, d, smoothing, epsilon):
        smooth, scale = self.raw("smoothing"), self.raw("epsilon")
        plain = self.raw("y"), np.asarray(raw_of(d)), smooth, scale
        self.own = [
            known if is_plain(item) else item
            for item, known in zip((y, d, smoothing, epsilon), plain, strict=True)
        ]
        powers = self.powers  # of the polynomials; there may be none
        self.degree = int(np.max(np.sum(powers, axis=1))) if len(powers) else -1

    @of_variables
    def __call__(self, x):
        y, d, smoothing, _ = self.own
        n, shape = np.shape(y)[0], np.shape(d)[1:]
        flat = np.reshape(d, (n, -1))
        smoothing = np.broadcast_to(smoothing, (n,)) + np.zeros(n)
        solved = self.solved if self.neighbors is None else self.by_neighbours
        return np.reshape(solved(y, flat, smoothing, x), (np.shape(x)[0], *shape))

    def by_neighbours(self, y, d, smoothing, x):
        """The points that have the same neighbours are found together."""
        tree = spatial.KDTree(raw_of(y))
        _, near = tree.query(raw_of(x), list(range(1, self.neighbors + 1)))
        sets, which = np.unique(np.sort(near, axis=1), axis=0, return_inverse=True)
        which = np.reshape(which, -1)
        parts = [
            self.solved(y[own], d[own], smoothing[own], x[which == i])
            for i, own in enumerate(sets)
        ]
        order = np.argsort(which, kind="stable")
        return np.concatenate(parts)[np.argsort(order)]

    def solved(self, y, d, smoothing, x):
        kernel, epsilon = KERNELS[self.kernel], self.own[3]
        matrix = kernel(epsilon**2 * squares(y, y)) + np.diag(smoothing)
        mixed = kernel(epsilon**2 * squares(x, y))
        if self.degree >= 0:
            # As SciPy, on coordinates of about one.
            low, high = np.min(raw_of(y), axis=0), np.max(raw_of(y), axis=0)
            middle, half = 0.5 * (high + low), 0.5 * (high - low)
            scale = np.where(half == 0, 1.0, half)
            powers = monomials((y - middle) / scale, self.degree)
            beside = monomials((x - middle) / scale, self.degree)
            m = np.shape(powers)[1]
            matrix = np.block([[matrix, powers], [powers.T, np.zeros((m, m))]])
            mixed = np.concatenate([mixed, beside], axis=1)
            d = np.concatenate([d, np.zeros((m, np.shape(d)[1]))])
        return mixed @ np.linalg.solve(matrix, d)


# ----- The older class -----
# Functions of the distance and ``epsilon``.
OLDER = {
    "multiquadric": lambda r, epsilon: np.sqrt((r / epsilon) ** 2 + 1.0),
    "inverse_multiquadric": lambda r, epsilon: 1.0 / np.sqrt((r / epsilon) ** 2 + 1.0),
    "gaussian": lambda r, epsilon: np.exp(-((r / epsilon) ** 2)),
    "linear": lambda r, epsilon: r,
    "cubic": lambda r, epsilon: r**3,
    "quintic": lambda r, epsilon: r**5,
    "thin_plate": lambda r, epsilon: thin_plate(r**2),
}


@replace_class(interpolate)
class Rbf(OfVariables, interpolate.Rbf):
    """``scipy.interpolate.Rbf``"""

    MEMBERS = {
        "xi": lambda self: self.places.T,
        "di": lambda self: self.values,
        "nodes": lambda self: self.weights(),
        "epsilon": lambda self: self.width,
        "smooth": lambda self: self.smoothing,
        "A": None,
    }

    def hold(self, args, kwargs):
        self.places = np.stack([np.reshape(x, -1) for x in args[:-1]], axis=1) + 0.0
        self.values = args[-1] if self.mode == "N-D" else np.reshape(args[-1], -1)
        self.smoothing = kwargs.get("smooth", 0.0)
        self.width = kwargs.get("epsilon")
        if self.width is None:
            self.width = self.mean_distance()

    def weights(self):
        """How much of each point's function there is."""
        matrix = self.of_distance(self.places) - self.smoothing * np.eye(self.N)
        return np.linalg.solve(matrix, self.values)

    def mean_distance(self):
        edges = np.max(self.places, axis=0) - np.min(self.places, axis=0)
        edges = edges[np.nonzero(raw_of(edges))]
        return (np.prod(edges) / self.N) ** (1.0 / np.size(raw_of(edges)))

    def of_distance(self, points):
        if not isinstance(self.function, str) or not isinstance(self.norm, str):
            refuse("interpolate.Rbf", "with a function of your own")
        apart = cdist(points, self.places, self.norm)
        return OLDER[self.function](apart, self.width)

    @of_variables
    def __call__(self, *args):
        points = np.stack([np.reshape(x, -1) for x in args], axis=1) + 0.0
        out = self.of_distance(points) @ self.weights()
        return np.reshape(out, (*np.shape(args[0]), *np.shape(self.values)[1:]))
