"""A corpus of ordinary user programs, each with what it is called with.

They contain no `assert`: pytest rewrites those, and then their source is not what runs.
"""

from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np

# ----- What programs are called with -----


class Spec(NamedTuple):
    """How an argument is made: ``make(random, n, sign, dtype)``."""

    make: Any
    is_float: bool = True


def real(*shape, low=-1.5, high=1.5):
    """A real array; "n" in the shape stands for the length that changes."""

    def make(random, n, sign, dtype):
        sizes = [n if size == "n" else size for size in shape]
        return (sign * random.uniform(low, high, sizes)).astype(dtype)

    return Spec(make)


def positive(*shape):
    def make(random, n, sign, dtype):
        sizes = [n if size == "n" else size for size in shape]
        return random.uniform(0.5, 2.0, sizes).astype(dtype)

    return Spec(make)


def compound(*shape):
    def make(random, n, sign, dtype):
        a, b = (real(*shape).make(random, n, sign, dtype) for _ in range(2))
        return a + np.array(1j, np.result_type(dtype, np.complex64)) * b

    return Spec(make)


def spd(size):
    def make(random, n, sign, dtype):
        a = random.normal(size=(size, size)).astype(dtype)
        return a @ a.T + size * np.eye(size, dtype=dtype)

    return Spec(make)


def strided(rows, columns):
    """A transposed view of every second row."""

    def make(random, n, sign, dtype):
        base = (sign * random.normal(size=(2 * columns, rows))).astype(dtype)
        return base[::2].T

    return Spec(make)


def number():
    return Spec(lambda random, n, sign, dtype: float(sign * random.uniform(0.5, 2.0)))


def scalar():
    return Spec(lambda random, n, sign, dtype: dtype(sign * random.uniform(0.5, 2.0)))


def fixed(value):
    return Spec(lambda random, n, sign, dtype: value, is_float=False)


def indices(*shape, high):
    return Spec(
        lambda random, n, sign, dtype: random.integers(0, high, shape), is_float=False
    )


class Program(NamedTuple):
    """A function with its arguments; ``is_compiled``: some calls must be."""

    function: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    is_compiled: bool


PROGRAMS: dict[str, Program] = {}


def program(*args, is_compiled=True, **kwargs):
    def add(function):
        PROGRAMS[function.__name__] = Program(function, args, kwargs, is_compiled)
        return function

    return add


# ----- Learning -----


@program(real(3, 4), real(4), real(4, 2), real("n", 3), real("n", 2))
def mlp(W1, b1, W2, x, y):
    h = np.tanh(x @ W1 + b1)
    return np.mean((h @ W2 - y) ** 2)


@program(real(3), number(), real("n", 3), indices(4, high=2))
def logistic(w, b, x, unused):
    z = x @ w + b
    return np.sum(np.log1p(np.exp(-z)) + 0.1 * w @ w)


@program(real("n", 5), indices(4, high=5))
def cross_entropy(logits, labels):
    shifted = logits - np.max(logits, axis=1, keepdims=True)
    log_p = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    return -np.mean(log_p[np.arange(4), labels])


@program(real("n", 4))
def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@program(real("n"))
def log_sum_exp(x):
    m = np.max(x)
    return m + np.log(np.sum(np.exp(x - m)))


@program(real("n", 4), real(4), real(4))
def layer_norm(x, gain, bias):
    mean = x.mean(axis=-1, keepdims=True)
    centred = x - mean
    var = (centred * centred).mean(axis=-1, keepdims=True)
    return centred / np.sqrt(var + 1e-5) * gain + bias


@program(real(2, 4, 3), real(2, 4, 3), real(2, 4, 3))
def attention(q, k, v):
    scores = np.einsum("bid,bjd->bij", q, k) / np.sqrt(q.shape[-1])
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return np.einsum("bij,bjd->bid", weights, v)


@program(real(2, 4, 3), real(2, 4, 3), real(2, 4, 3))
def attention_by_products(q, k, v):
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return weights @ v


@program(real(5, 5), real(3, 3))
def convolution(image, kernel):
    total = 0.0
    for i in range(3):
        for j in range(3):
            total = total + image[i : i + 3, j : j + 3] * kernel[i, j]
    return np.maximum(total, 0.0)


@program(real("n", 3), real(3, 4), real(4, 4), real(4))
def rnn(xs, W, U, h):
    for x in xs:
        h = np.tanh(x @ W + h @ U)
    return h


@program(
    Spec(
        lambda random, n, sign, dtype: [
            (random.normal(size=(3, 3)).astype(dtype), np.zeros(3, dtype))
            for _ in range(3)
        ]
    ),
    real("n", 3),
)
def deep(layers, x):
    for i, (W, b) in enumerate(layers):
        x = x @ W + b
        if i < len(layers) - 1:
            x = np.maximum(x, 0)
    return np.sum(x**2)


# ----- Numerics -----


@program(real("n"))
def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


@program(real(4))
def rosenbrock_by_element(x):
    total = 0.0
    for i in range(len(x) - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


@program(real(3), real(2, 2))
def elements(x, W):
    return (x[1] - x[0] ** 2) ** 2 * W[0, 1] + x[0] * x[-1]


@program(real(5))
def rosenbrock_by_elements(x):
    total = 0.0
    for i in range(4):
        total = total + 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


@program(number(), number(), positive())
def option_price(spot, rate, volatility):
    d = (np.log(abs(spot) + 1.0) + rate) / volatility + 0.5 * volatility
    tail = np.exp(-0.5 * d * d) / np.sqrt(2.0 * np.pi)
    return abs(spot) * tail - np.exp(-rate) * np.arctan(d - volatility)


@program(real(3), real(3), real(3, low=2.0, high=4.0), number(), real(2))
def reprojection(w, X, t, focal, seen):
    p = X + np.cross(w, X) + t
    e = focal * np.stack([p[0] / p[2], p[1] / p[2]]) - seen
    return e @ e + np.linalg.norm(w)


@program(positive(), is_compiled=False)  # the number of steps differs each time
def newton(a):
    x = a * 1.0
    while np.abs(x * x - a) > 1e-5:
        x = 0.5 * (x + a / x)
    return x


@program(spd(3))
def gram_schmidt(A):
    basis = []
    for j in range(A.shape[1]):
        v = A[:, j]
        for u in basis:
            v = v - np.dot(u, v) * u
        basis.append(v / np.linalg.norm(v))
    return np.stack(basis, axis=1)


@program(spd(3), real(3))
def gaussian(A, x):
    L = np.linalg.cholesky(A)
    z = np.linalg.solve(L, x)
    return -0.5 * z @ z - np.sum(np.log(np.diag(L)))


@program(real(5), indices(6, high=5))
def gather(x, index):
    picked = x[index]
    return picked * np.arange(6.0) + picked[::-1]


@program(real("n", 4), fixed(slice(1, None)), fixed(2))
def slices(x, part, column):
    return x[part], x[:, column], x[..., None], x[-1, ::2]


@program(real("n", 3))
def masked(x):
    return np.where(x > 0, x, 0.1 * x).sum(axis=0)


@program(positive("n"))
def cumulative(x):
    return np.cumsum(x)[-1] * np.prod(x) / np.linalg.norm(x)


@program(compound(3), real(3))
def signal(z, w):
    return np.abs(np.sum(z * w)) + np.real(z).sum()


# ----- Control flow -----


@program(real("n", low=0.1))
def branch(x):
    if x.sum() > 0:
        return x * 2.0
    return -x


@program(real(3), number())
def trust_region(x, radius):
    size = np.sqrt(x @ x)
    if size < radius:
        return x * 1.0
    if size <= 1e6:
        return x * (radius / size)
    return np.zeros(3)


@program(real(3, low=0.1), number())
def early_return(x, t):
    if t < 0:
        return x
    for i in range(3):
        if x[i] < 0:
            return x * i
        x = x * t
    return x + 1.0


@program(real(3))
def conditional_expression(x):
    y = x if x.shape[0] > 2 else -x
    z = (y, -y)[len(y) > 2]
    return z * 2 if z is not None and not isinstance(z, tuple) else y


@program(real(4), is_compiled=False)  # the order differs each time
def sorting(x):
    biggest = max(x[i] for i in range(4))
    order = np.argsort(x)
    return x[order] * biggest


# ----- How functions are written -----


def _affine(x, scale, *, shift=1.0):
    return x * scale + shift


def _twice(f, x):
    return f(f(x))


@program(real(3))
def helpers(x):
    y = _affine(x, 2.0)
    return _affine(_twice(np.sin, y), 0.5, shift=2.0)


@program(real(3), number())
def nested(x, t):
    def scale(y, by=2.0):
        return y * by * t

    cube = lambda y: y**3  # noqa: E731
    return _twice(scale, x) + cube(x)


@program(real(3, 3))
def comprehensions(x):
    rows = [row * i for i, row in enumerate(x)]
    table = {i: r.sum() for i, r in enumerate(rows)}
    total = sum(v * v for v in table.values())
    return total + sum(rows[i][j] for i in range(3) for j in range(3) if i != j)


@program(real(3), real(3), fixed("sum"))
def strings(x, y, how):
    parts = {"sum": x + y, "product": x * y}
    label = f"{how}"
    return parts[label]


Pair = namedtuple("Pair", "first second")


@program(
    Spec(
        lambda random, n, sign, dtype: Pair(
            random.normal(size=2).astype(dtype), random.normal(size=2).astype(dtype)
        )
    )
)
def named_tuples(pair):
    first, second = pair
    return Pair(pair.first * second, {"sum": first + pair[1], "static": ("a", 3)})


@program(
    Spec(
        lambda random, n, sign, dtype: [
            random.normal(size=size).astype(dtype) for size in ((3, 4), 4, (4, 2))
        ]
    ),
    real("n", 3),
)
def unpacked(params, x):
    W1, b1, W2 = params
    weights = np.linspace(1.0, 2.0, 3)
    return np.tanh(x * weights @ W1 + b1) @ W2


@program(
    Spec(
        lambda random, n, sign, dtype: {
            "w": random.normal(size=(3, 2)).astype(dtype),
            "b": random.normal(size=2).astype(dtype),
        }
    ),
    real("n", 3),
)
def dictionary(params, x):
    return {"out": x @ params["w"] + params["b"], "n": len(params)}


@program(real(3), real(3), t=number(), y=real(3))
def keywords(x, *more, t, scale=2.0, **others):
    for each in (*more, *others.values()):
        x = x + each * scale
    return x * t


@program(real(3), x=real(3))
def dictionary_of_keywords(a, **kwargs):
    kwargs["y"] = kwargs["x"] * 2 if "x" in kwargs else a
    return a * kwargs["y"]


@program(number(), scalar())
def numbers(t, s):
    return t * t, s + t, np.sin(t), t**2 * s, -t, abs(s), t / 3


@program(number(), fixed(3), fixed(True))
def python_numbers(t, n, flag):
    return (t + n if flag else t), round(t), t > 0.0, divmod(t, 2.0), n / 2


@program(real())
def zero_dimensional(x):
    return x * 2.0, np.sum(x), x + np.ones(2), x[()]


@program(real(0, 3))
def empty(x):
    return x.sum(axis=0), x * 2.0, np.concatenate([x, np.ones((1, 3))])


@program(strided(3, 2))
def strides(x):
    return x.ravel() * 2.0, np.reshape(x, (2, 3)), x.T @ x, x.sum(axis=0)


@program(real(3), real(3))
def identity(x, y):
    return x, y, x


@program(real(3))
def same_twice(x):
    y = np.exp(x)
    return y, y, (x * 2, x * 2)


@program(real(2, 3))
def views(x):
    return x[0], x.T, x.reshape(-1), np.broadcast_to(x, (2, 2, 3))


@program(real(3))
def constants(x):
    return 1.5, "text", None, np.arange(3.0), x.shape, x.dtype, True


@program(real(3))
def nothing(x):
    x * 2.0


@program(real(3), fixed(None))
def given_none(x, mask):
    return x * 2.0 if mask is None else x * mask


@program(real(3))
def in_place_on_locals(x):
    h = x * 2.0
    h += 1.0
    h[0] = x[1] * x[2]
    h[1:] *= 3.0
    return np.sum(h * h)


@program(real(2, 3), real(3))
def in_place_on_rows(x, v):
    rows = x * 3.0
    rows[0] *= 2.0
    rows[1] -= v
    return rows


@program(real(2, 3), real(3))
def assigned_products(A, v):
    products = A[:, 0] + v[:2]
    products[0] = A[0] @ v
    products[1] = v @ v
    return np.sum(products)


@program(real(3), real(3))
def tuple_assignment(x, y):
    x, y = y, x * 2.0
    (a, *rest), z = [x, y, x + y], 1.0
    return a * rest[0] - rest[-1] * z


@program(real(3), real(3))
def unused_arguments(x, y):
    return x * 2.0


@program(real("n", 3))
def statistics(x):
    return (x - np.mean(x, axis=0)) / np.std(x, axis=0), np.var(x), np.ptp(x)
