"""Programs that are exported."""

import types
from typing import NamedTuple

import numpy as np

import srcgrad

SMALL = np.array([1.0, -2.0, 0.5, 3.0, 0.1])
LARGE = np.linspace(-1.0, 1.0, 200) ** 3
RATE = 0.25


def elementwise(x):
    return np.sum(np.tanh(x) * np.exp(-x))


def cube(x):
    return np.sum(x**3)


def vector(x):
    return np.sin(x) * x


def net(W, b, x):
    h = np.tanh(x @ W + b)
    return np.mean(h**2)


def layer(W, x):
    h = np.tanh(x @ W)
    return h, 2.0 * h


def of_tree(params, x):
    b, scale = params["b"]
    return scale * np.sum(np.tanh(x @ params["W"] + b))


def keywords(x, shift=None, power=2, unused=1.0):
    return np.sum((x + shift) ** power) * unused


def keyword_only(x, *, scale):
    return scale * np.sum(x * x)


def several(*xs):
    total = 0.0
    for number, x in enumerate(xs):
        total = total + (number + 1) * np.sum(x * x)
    return total


def scalar(x):
    return np.sin(x) * x**2


def two_scalars(x, y):
    return x * y + np.exp(-x)


def loop(x, n):
    for _ in range(n):
        x = x - RATE * np.sin(x)
    return np.sum(x)


def loop_over(x, rows):
    total = 0.0
    for row in rows:
        total = total + np.sum(np.tanh(row)) * np.sum(x * x)
    return total


def rnn(W, x):
    h = np.zeros(3)
    for t in range(len(x)):
        h = np.tanh(W @ h + x[t])
    return np.sum(h)


def branch(x):
    y = np.cos(x)
    if np.sum(x) > 0:
        y = np.sin(x)
    return np.sum(y * x)


def guarded(x):
    total = np.sum(x)
    if total > 1000:
        raise ValueError("too large")
    return total * total


def small_global(x):
    return np.sum(SMALL * x) ** 2 * RATE


def large_global(x):
    return np.sum(np.tanh(LARGE * x))


def _closed(weights):
    def closure(x):
        return np.sum(weights * np.sin(x))

    return closure


closure = _closed(np.arange(5.0))


def writes_in_place(x):
    y = x.copy()
    y[1:3] *= 2.0
    y += 1.0
    return np.sum(y**2)


def fills_rows(x):
    rows = np.zeros((3, 5))
    for i in range(3):
        rows[i] = np.sin(x) * (i + 1)
    return np.sum(rows**2)


def sorts(x):
    return np.sum(np.sort(x) * SMALL)


def solves(A, b):
    return np.sum(np.linalg.solve(A, b) ** 2) + np.linalg.slogdet(A)[1]


def interpolates(x):
    return np.sum(np.interp(x, [-3.0, 0.1, 3.0], [0.0, 1.0, 5.0]))


def indexes(x, places):
    return np.sum(x[places] ** 2)


def of_tuple(pair):
    x, y = pair
    return np.sum(x * y)


def flagged(x, is_squared, nothing, name):
    y = x * x if is_squared else x
    if nothing is None and name == "tanh":
        y = np.tanh(y)
    return np.sum(y)


def cumulative(x):
    return np.sum(np.cumsum(x) * np.cumprod(x))


def maximum(x):
    return np.max(x) + np.sum(np.maximum(x, 0.1)) + np.linalg.norm(x)


def convolution(x, y):
    return np.sum(np.convolve(x, y) ** 2)


def einsum(W, x):
    return np.sum(np.einsum("ij,ni->nj", W, x) ** 2)


def of_complex(z):
    return np.sum(np.abs(z**2 + 1j) ** 2)


def with_aux(x):
    y = np.tanh(x)
    return np.sum(y), {"y": y, "n": 5}


def hessian_vector(x, v):
    return srcgrad.hvp(elementwise, (x,), (v,))[0]


def tangent(x, v):
    return srcgrad.jvp(vector, (x,), (v,))


class Model:
    def __init__(self, W, b):
        self.W = W
        self.b = b
        self.layers = 1

    def __call__(self, x):
        h = x
        for _ in range(self.layers):
            h = np.tanh(h @ self.W + self.b)
        return h


def of_model(model, x):
    return np.sum(model(x) ** 2)


def plain(item):
    """An argument as a process without this module may get it."""
    if isinstance(item, Model):
        return types.SimpleNamespace(**vars(item))
    return item


def one_in_a_tuple(x):
    return (np.sum(x * x),)


def with_static_results(x):
    return np.sum(x), {"n": np.int64(3), "name": "sum", "done": True, "none": None}


def determinant(A):
    return np.linalg.det(A)


def large_cofactors(A):
    return np.linalg.det(A)


def ignores_errors(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(x * x)
    return np.sum(np.where(x > 0.0, logs, 0.0))


def raises_errors(x):
    with np.errstate(divide="raise"):
        return np.sum(1.0 / x)


def masked(x, mask, counts):
    return np.sum(np.where(mask, x, 0.0) * counts)


MASK = np.array([True, False, True, True, False])


def masked_by_a_global(x):
    return np.sum(x[MASK] ** 2)


class Pair(NamedTuple):
    first: np.ndarray
    second: np.ndarray


def of_named(pair):
    return np.sum(pair.first * pair.second**2)


def of_symmetric(A):
    return np.sum(np.linalg.cholesky(A))


def of_slice(x, part):
    return np.sum(x[part] ** 2)


def over_a_list(x):
    h = x
    for rate in np.linspace(0.0, 1.0, 30).tolist():
        h = np.tanh(h + rate * x)
    return np.sum(h)


def example(data):
    """Its name, and that of its parameter, are a module's own, too."""
    return np.sum(data * np.tanh(data))


def of_containers(H, C1):
    """The names of the constants, too, that a module would have."""
    h = np.zeros(3)
    for t in range(30):
        h = np.tanh(H["W"] @ h + C1["x"] + t)
    return np.sum(h * np.array([1.0, 2.0, 3.0]))
