"""``scipy.interpolate``: radial basis functions, by the values and all points."""

from itertools import combinations_with_replacement

import numpy as np
from scipy import interpolate, spatial

from srcgrad.protocols import raw_of
from srcgrad.rules.scipy.distances import root
from srcgrad.rules.scipy.scipy_sources import classes_as_in_scipy
from srcgrad.scipy.replacing import OfVariables, is_plain, of_variables, replace_class


# ----- Functions of the squared distance -----
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
classes_as_in_scipy(interpolate, "Rbf", always=True)
