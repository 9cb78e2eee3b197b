"""Fifty functions in what NumPy and its likenesses share: ``n`` is the namespace.

Each takes one array, and gives one. ``ELEMENTWISE`` are those that give for each
element one that depends on that alone.
"""

import numpy as np

VECTOR = np.array([0.3, -0.7, 1.1, -1.6, 0.9, 1.4])
POSITIVE = np.array([0.3, 0.7, 1.1, 1.6, 0.9, 1.4])
MATRIX = np.array([[1.3, -0.2, 0.7], [0.4, 2.1, -0.3], [-0.5, 0.6, 1.7]])
WIDE = np.linspace(-1.3, 1.7, 12).reshape(4, 3) ** 2 - 0.4
SYMMETRIC = MATRIX @ MATRIX.T + np.eye(3)
BATCH = np.stack([MATRIX, MATRIX.T + 1.0])


def looped(n, x):
    total = 0.0
    for i in range(4):
        total = n.sin(total) * x[i] + x[i + 1]
    return total


def rolled(n, x):
    h = n.zeros(3)
    for row in x:
        h = n.tanh(h * 0.5 + row)
    return h


def runge_kutta(n, x):
    for _ in range(3):
        k = n.sin(x) * x
        x = x + 0.1 * (k + n.sin(x + 0.1 * k))
    return x


def newton(n, x):
    root = x * 0.0 + 1.0
    for _ in range(4):
        root = root - (root * root - n.abs(x) - 1.0) / (2.0 * root)
    return root


def branching(n, x):
    return x * x if x.shape[0] > 4 else n.sin(x)


def softmax(n, x):
    e = n.exp(x - n.max(x, axis=-1, keepdims=True))
    return e / n.sum(e, axis=-1, keepdims=True)


def layer_norm(n, x):
    centred = x - n.mean(x, axis=-1, keepdims=True)
    return centred / n.sqrt(n.var(x, axis=-1, keepdims=True) + 1e-3)


def eigenvalues(n, x):
    return n.linalg.eigvalsh((x + x.T) / 2.0)


def projector(n, x):
    _, vectors = n.linalg.eigh((x + x.T) / 2.0)
    return vectors[:, :1] @ vectors[:, :1].T


def again(n, x):
    u, s, vh = n.linalg.svd(x, full_matrices=False)
    return (u * n.exp(0.1 * s)) @ vh


ELEMENTWISE = {
    "exp": (lambda n, x: n.exp(x), VECTOR),
    "tanh": (lambda n, x: n.tanh(x) * x, VECTOR),
    "sigmoid": (lambda n, x: 1.0 / (1.0 + n.exp(-x)), VECTOR),
    "softplus": (lambda n, x: n.logaddexp(x, 0.0), VECTOR),
    "log1p": (lambda n, x: n.log1p(x) / n.sqrt(x), POSITIVE),
    "powers": (lambda n, x: n.abs(x) ** 1.5 + 2.0**x, VECTOR),
    "angles": (lambda n, x: n.arctan2(x, 1.0 + x * x), VECTOR),
    "hyperbolic": (lambda n, x: n.arcsinh(x) + n.cosh(x) - n.sinh(x / 2.0), VECTOR),
    "where": (lambda n, x: n.where(x > 0, x * x, n.sin(x)), VECTOR),
    "clip": (lambda n, x: n.clip(x, -1.0, 1.0) * x, VECTOR),
    "maximum": (lambda n, x: n.maximum(x, 0.1 * x) - n.minimum(x, 0.5), VECTOR),
    "hypot": (lambda n, x: n.hypot(x, 2.0) + n.cbrt(x), POSITIVE),
    "sinc": (lambda n, x: n.sinc(x), VECTOR),
    "runge_kutta": (runge_kutta, VECTOR),
    "newton": (newton, VECTOR),
    "branching": (branching, VECTOR),
}

PROGRAMS = {
    **ELEMENTWISE,
    "sum": (lambda n, x: n.sum(x * x, axis=0), WIDE),
    "mean": (lambda n, x: n.mean(n.exp(x), axis=1), WIDE),
    "var": (lambda n, x: n.var(x, axis=0) + n.std(x), WIDE),
    "prod": (lambda n, x: n.prod(x, axis=-1), WIDE),
    "max": (lambda n, x: n.max(x, axis=0) * n.min(x), WIDE),
    "cumsum": (lambda n, x: n.cumsum(x * x), VECTOR),
    "cumprod": (lambda n, x: n.cumprod(x), VECTOR),
    "log_sum_exp": (lambda n, x: n.log(n.sum(n.exp(x), 1)), WIDE),
    "norm": (lambda n, x: n.linalg.norm(x) * x, VECTOR),
    "softmax": (softmax, WIDE),
    "layer_norm": (layer_norm, WIDE),
    "slices": (lambda n, x: (x[1:] - x[:-1] ** 2) ** 2, VECTOR),
    "strides": (lambda n, x: x[::2] * x[1::2], VECTOR),
    "picked": (lambda n, x: x[n.array([0, 2, 2])] * x[0], VECTOR),
    "expanded": (lambda n, x: x[:, None] - x[None, :] ** 2, VECTOR),
    "reshaped": (lambda n, x: n.reshape(x, (3, 4)) @ x, WIDE),
    "concatenated": (lambda n, x: n.concatenate([x, x[:2] ** 2]), VECTOR),
    "stacked": (lambda n, x: n.stack([n.sin(x), x * x], axis=1), VECTOR),
    "rolled": (lambda n, x: n.roll(x, 2) * n.flip(x), VECTOR),
    "padded": (lambda n, x: n.pad(x, 1) ** 2, VECTOR),
    "tiled": (lambda n, x: n.tile(x, 2) * n.repeat(x, 2), VECTOR),
    "triangles": (lambda n, x: n.tril(x) @ n.triu(x) + n.diag(x), MATRIX),
    "sorted": (lambda n, x: n.sort(x) * n.arange(6.0), VECTOR),
    "median": (lambda n, x: n.median(x, axis=0), WIDE),
    "products": (lambda n, x: (x @ x.T) @ x, WIDE),
    "einsum": (lambda n, x: n.einsum("ij,kj->ik", x, x), WIDE),
    "tensordot": (lambda n, x: n.tensordot(x, x, 2) * n.outer(x[0], x[1]), WIDE),
    "batches": (lambda n, x: n.matmul(x, n.swapaxes(x, 1, 2)), BATCH),
    "determinant": (lambda n, x: n.linalg.det(x) + n.linalg.slogdet(x)[1], MATRIX),
    "inverse": (lambda n, x: n.linalg.inv(x) @ x.T, MATRIX),
    "solve": (lambda n, x: n.linalg.solve(x, x[0] ** 2), MATRIX),
    "cholesky": (lambda n, x: n.linalg.cholesky((x + x.T) / 2.0), SYMMETRIC),
    "qr": (lambda n, x: n.abs(n.linalg.qr(x)[1]), WIDE),
    "eigenvalues": (eigenvalues, SYMMETRIC),
    "projector": (projector, SYMMETRIC),
    "svd": (again, WIDE),
    "fft": (lambda n, x: n.real(n.fft.ifft(n.fft.fft(x) ** 2)), VECTOR),
    "recursion": (looped, VECTOR),
    "recurrence": (rolled, WIDE),
}
