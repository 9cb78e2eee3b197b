"""Functions as users write them, for the tests of transforms: one element each.

``PROBLEMS`` are rows of a name, a function and the shapes of its arguments.
"""

import numpy as np

import srcgrad


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def log_sum_exp(x):
    top = np.max(x)
    return top + np.log(np.sum(np.exp(x - top)))


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def layer_norm(x, gain):
    centred = x - np.mean(x, axis=-1, keepdims=True)
    return gain * centred / np.sqrt(np.var(x, axis=-1, keepdims=True) + 1e-3)


def two_layers(x, W, V):
    return V @ np.tanh(W @ x)


def attention(q, k, v):
    return softmax(q @ k.T / np.sqrt(q.shape[-1])) @ v


def filled(x):
    h = np.zeros(4)
    for i in range(4):
        h[i] = x[i] * x[(i + 1) % 4]
    return h


def in_place(x):
    h = x * 2.0
    h += np.sin(x)
    return h


def recurrence(x, w):
    h = np.zeros_like(w)
    for i in range(len(x)):
        h = np.tanh(w * h + x[i])
    return h


def horner(x, c):
    out = 0.0
    for i in range(len(c)):
        out = out * x + c[i]
    return out


def norms(x):
    return np.linalg.norm(x) + np.linalg.norm(x, ord=1)


def quadratic_form(x, A):
    return x @ A @ x


def solved(A, b):
    return np.linalg.solve(A @ A.T + np.eye(len(b)), b)


def log_determinant(A):
    return np.linalg.slogdet(A @ A.T + np.eye(len(A)))[1]


def inverse(A):
    return np.linalg.inv(A @ A.T + 2.0 * np.eye(len(A)))


def cholesky(A):
    return np.linalg.cholesky(A @ A.T + np.eye(len(A)))


def windows(x):
    return np.lib.stride_tricks.sliding_window_view(x, 3) @ np.array([1.0, -2.0, 1.0])


def inner_gradient(x):
    return srcgrad.grad(rosenbrock)(x)


def mixed_containers(x, y):
    return {"sum": x + y, "pair": (np.sin(x), np.dot(x, y))}["pair"][0] * y


PROBLEMS = [
    ("exp", np.exp, [(4,)]),
    ("product", lambda x, y: x * y, [(4,), (4,)]),
    ("broadcast", lambda x, y: x[:, None] * y, [(3,), (4,)]),
    ("quotient", lambda x, y: x / (2.0 + y**2), [(4,), (4,)]),
    ("power", lambda x: (1.5 + np.tanh(x)) ** 2.5, [(4,)]),
    ("hypot", lambda x, y: np.hypot(x, y), [(4,), (4,)]),
    ("where", lambda x: np.where(x > 0.0, x**2, np.sin(x)), [(4,)]),
    ("clip", lambda x: np.clip(x, -0.5, 0.5) * x, [(4,)]),
    ("maximum", lambda x, y: np.maximum(x, y), [(4,), (4,)]),
    ("scalar", lambda x: np.sin(x) * x, [()]),
    ("scalars", lambda x, y: x * y + np.cos(y), [(), ()]),
    ("sum", lambda x: np.sum(x**2), [(4,)]),
    ("sum over axis", lambda x: np.sum(x**3, axis=0), [(3, 4)]),
    ("mean", lambda x: np.mean(x**2, axis=1), [(3, 4)]),
    ("variance", lambda x: np.var(x, axis=0), [(3, 4)]),
    ("product of all", lambda x: np.prod(1.0 + x**2), [(4,)]),
    ("maximum of all", lambda x: np.max(x), [(4,)]),
    ("cumulative", lambda x: np.cumsum(x**2), [(4,)]),
    ("sorted", lambda x: np.sort(x)[::-1] * x, [(4,)]),
    ("reshaped", lambda x: (x.reshape(4, 3) ** 2).T, [(3, 4)]),
    ("flipped", lambda x: np.flip(x) * np.roll(x, 1), [(4,)]),
    ("concatenated", lambda x, y: np.concatenate([x**2, y * 2.0]), [(3,), (4,)]),
    ("stacked", lambda x, y: np.stack([x * y, x - y], axis=1), [(3,), (3,)]),
    ("split", lambda x: np.split(x, 2)[0] * np.split(x, 2)[1], [(4,)]),
    ("repeated", lambda x: np.repeat(x, 2) * np.tile(x, 2), [(3,)]),
    ("padded", lambda x: np.pad(x**2, 1), [(3,)]),
    ("differences", lambda x: np.diff(x) ** 2, [(5,)]),
    ("rows picked", lambda x: x[[0, 2, 0]] ** 2, [(3, 2)]),
    ("elements picked", lambda x: x[[0, 1], [1, 0]] * 2.0, [(3, 2)]),
    ("by argmax", lambda x: x[np.argmax(x)] ** 2, [(4,)]),
    ("taken", lambda x: np.take(x, [2, 0], axis=1) ** 2, [(2, 3)]),
    ("matrix vector", lambda A, x: A @ x, [(3, 4), (4,)]),
    ("matrices", lambda A, B: np.sin(A @ B), [(2, 3), (3, 2)]),
    ("dot", lambda x, y: np.dot(x, y) ** 2, [(4,), (4,)]),
    ("outer", lambda x, y: np.outer(np.sin(x), y), [(3,), (2,)]),
    ("einsum", lambda A, B: np.einsum("ij,kj->ik", A, B**2), [(2, 3), (4, 3)]),
    ("tensordot", lambda A, B: np.tensordot(A, B, axes=([1], [0])), [(2, 3), (3, 2)]),
    ("trace", lambda A: np.trace(A @ A), [(3, 3)]),
    ("triangle", lambda A: np.tril(A) @ np.triu(A), [(3, 3)]),
    ("fourier", lambda x: np.abs(np.fft.rfft(x)) ** 2, [(4,)]),
    ("rosenbrock", rosenbrock, [(5,)]),
    ("log-sum-exp", log_sum_exp, [(4,)]),
    ("softmax", softmax, [(4,)]),
    ("layer norm", layer_norm, [(4,), (4,)]),
    ("two layers", two_layers, [(3,), (4, 3), (2, 4)]),
    ("attention", attention, [(2, 3), (4, 3), (4, 2)]),
    ("filled", filled, [(4,)]),
    ("in place", in_place, [(4,)]),
    ("recurrence", recurrence, [(3, 2), (2,)]),
    ("horner", horner, [(), (4,)]),
    ("norms", norms, [(4,)]),
    ("quadratic form", quadratic_form, [(3,), (3, 3)]),
    ("solve", solved, [(3, 3), (3,)]),
    ("log-determinant", log_determinant, [(3, 3)]),
    ("inverse", inverse, [(2, 2)]),
    ("cholesky", cholesky, [(2, 2)]),
    ("windows", windows, [(5,)]),
    ("inner gradient", inner_gradient, [(4,)]),
    ("containers", mixed_containers, [(3,), (3,)]),
    ("convolution", lambda x, k: np.convolve(x, k), [(4,), (2,)]),
]


def draw(shapes, seed=0, size=None):
    """Arguments; with ``size`` a batch of them, along the first axis."""
    rng = np.random.default_rng(seed)
    front = () if size is None else (size,)
    return [np.asarray(rng.uniform(-1.0, 1.0, (*front, *s)))[()] for s in shapes]
