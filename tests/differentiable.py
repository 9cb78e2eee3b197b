"""Functions with arguments, for property tests of transforms: of all kinds and forms.

Each argument is a float, an array, or a container; results too. All are differentiable
at the arguments, and near.
"""

import dataclasses
import math
from collections import namedtuple
from typing import NamedTuple

import numpy as np

RNG = np.random.default_rng(7)
V3, W3, V4 = RNG.normal(size=3), RNG.normal(size=3), RNG.normal(size=4)
M34, M43, M33 = (RNG.normal(size=shape) for shape in ((3, 4), (4, 3), (3, 3)))
P3 = np.array([0.3, 1.2, 0.7])
S33 = M33 @ M33.T + 3.0 * np.eye(3)
C = np.array([0.5, -1.0, 2.0])

Pair = namedtuple("Pair", "first second")


class Layer(NamedTuple):
    """The parameters of a layer."""

    w: np.ndarray
    b: np.ndarray


class Scale:
    def __init__(self, factor):
        self.factor = factor

    def times(self, x):
        return self.factor * x * x

    def __call__(self, x):
        return self.factor + x**3


@dataclasses.dataclass
class Model:
    w: float

    def loss(self, x):
        return np.sum(self.w * np.tanh(x))


def polynomial(x):
    return 3.0 * x**3 - 2.0 * x + 1.0


def trigonometric(x):
    return math.sin(x) * math.exp(-x * x)


def reciprocal(x):
    return 1.0 / (1.0 + x * x)


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def tanh_of_product(x):
    return np.tanh(C * x)


def log_and_sqrt(x):
    return np.log(x) + np.sqrt(x)


def powers(x, y):
    return x**y


def sums(x):
    return np.sum(x * x)


def mean_and_variance(x):
    return np.mean(x), np.var(x)


def product(x):
    return np.prod(x)


def cumulative(x):
    return np.cumsum(x * x)


def norm(x):
    return np.linalg.norm(x)


def maxima(x):
    return np.max(x) * np.min(x)


def softmax(x):
    e = np.exp(x - np.max(x))
    return e / np.sum(e)


def log_sum_exp(x):
    top = np.max(x)
    return top + np.log(np.sum(np.exp(x - top)))


def affine(w, b, x):
    return w @ x + b


def network(layers, x):
    for layer in layers:
        x = np.tanh(layer.w @ x + layer.b)
    return x


def quadratic_form(x, a):
    return x @ a @ x


def matrix_product(a, b):
    return a @ b


def outer(x, y):
    return np.outer(x, y)


def einsum(a, b):
    return np.einsum("ij,jk->ik", a, b)


def trace_of_square(a):
    return np.trace(a @ a)


def inverse(a):
    return np.linalg.inv(a)


def solve(a, b):
    return np.linalg.solve(a, b)


def log_determinant(a):
    return np.linalg.slogdet(a)[1]


def cholesky(a):
    return np.linalg.cholesky((a + a.T) / 2)


def transposes(a):
    return np.transpose(a).reshape(2, 6)


def slices(x):
    return x[1:] * x[:-1]


def picked(x):
    return x[[0, 2, 0]] * 2.0


def filled(x):
    out = np.zeros(3)
    for i in range(3):
        out[i] = x[i] ** 2
    return out


def stacked(x, y):
    return np.stack([x * y, x + y])


def concatenated(x, y):
    return np.concatenate([x, y * 2.0])


def rows_of_rotation(angle):
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s], [s, c]])


def where(x):
    return np.where(x > 0, x * x, -x)


def clipped(x):
    return np.clip(x, -0.5, 0.5) * x


def broadcast(x, y):
    return x[:, None] * y[None, :] + 1.0


def branch(x):
    if x > 0.0:
        return x * x
    return -x


def loop(x):
    for _ in range(4):
        x = x - (x * x - 2.0) / (2.0 * x)
    return x


def newton_until_it_is_there(a):
    x = a
    while abs(x * x - a) > 1e-12:
        x = 0.5 * (x + a / x)
    return x


def recursion(x, n=3):
    return x if n == 0 else recursion(x, n - 1) * x + 1.0


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def dictionary(p):
    return {"a": p["x"] * p["y"], "b": np.sum(p["x"])}


def pair(p):
    return Pair(p.first * 2.0, p.first * p.second)


def nested(p):
    (x, [y]), z = p
    return [x * y, (z * x,)]


def with_none(p):
    x, _ = p
    return x * x, None


def keyword(x, *, scale=2.0):
    return x * scale


def sorted_and_weighted(x):
    return np.sort(x) * C


def polynomial_values(c, x):
    return np.polyval(c, x)


def convolution(x, y):
    return np.convolve(x, y)


def transform(x):
    return np.abs(np.fft.fft(x)) ** 2


def differences(x):
    return np.diff(x) / np.diff(np.arange(3.0) ** 2 + 1.0)


def interpolated(y):
    return np.interp(np.array([0.5, 1.5]), np.arange(3.0), y)


def pieces(x):
    return np.prod([x[0], x[1] ** 2, math.exp(x[2])])


LAYERS = (Layer(M43, V4), Layer(M34, V3))

FUNCTIONS = {
    **{f.__name__: (f, (0.7,)) for f in (polynomial, trigonometric, reciprocal)},
    **{f.__name__: (f, (1.7,)) for f in (branch, loop, newton_until_it_is_there)},
    "rows_of_rotation": (rows_of_rotation, (0.4,)),
    "recursion": (recursion, (np.float64(0.8),)),
    "branch, other arm": (branch, (-0.7,)),
    "sine": (np.sin, (V3,)),
    "hypotenuse": (np.hypot, (V3, W3)),
    **{
        f.__name__: (f, (V3,))
        for f in (
            *(sigmoid, tanh_of_product, sums, mean_and_variance, product, cumulative),
            *(norm, maxima, softmax, log_sum_exp, slices, picked, filled, where),
            *(clipped, rosenbrock, sorted_and_weighted, transform, differences),
            *(interpolated, pieces, keyword),
        )
    },
    "log_and_sqrt": (log_and_sqrt, (P3,)),
    "powers": (powers, (P3, V3)),
    "affine": (affine, (M43, V4, V3)),
    "network": (network, (LAYERS, V3)),
    "quadratic_form": (quadratic_form, (V3, M33)),
    "matrix_product": (matrix_product, (M34, M43)),
    "outer": (outer, (V3, V4)),
    "einsum": (einsum, (M34, M43)),
    "trace_of_square": (trace_of_square, (M33,)),
    "inverse": (inverse, (S33,)),
    "solve": (solve, (S33, V3)),
    "log_determinant": (log_determinant, (S33,)),
    "cholesky": (cholesky, (S33,)),
    "transposes": (transposes, (M34,)),
    "stacked": (stacked, (V3, W3)),
    "concatenated": (concatenated, (V3, W3)),
    "broadcast": (broadcast, (V3, V4)),
    "dictionary": (dictionary, ({"x": V3, "y": 2.0},)),
    "pair": (pair, (Pair(V3, W3),)),
    "nested": (nested, (((V3, [W3]), 1.5),)),
    "with_none": (with_none, ((V3, None),)),
    "polynomial_values": (polynomial_values, (V3, 0.7)),
    "convolution": (convolution, (V3, V4)),
    "a method": (Scale(3.0).times, (V3,)),
    "an object": (Scale(3.0), (V3,)),
    "a method of a dataclass": (Model(2.0).loss, (V3,)),
    "a constant": (lambda x: np.ones(2), (V3,)),
    "its argument": (lambda x: x, (V3,)),
}
