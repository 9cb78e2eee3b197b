"""Elements as users compute with them: a batch is a loop, with all that is in it."""

import math

import numpy as np
import pytest

import srcgrad
from srcgrad import grad, hessian, jacobian, jvp, vjp, vmap
from srcgrad.pytree import flatten, unflatten
from tests.differentiable import FUNCTIONS

SIZE = 4
RNG = np.random.default_rng(0)
X, S, M = RNG.normal(size=(4, 3)), RNG.normal(size=4), RNG.normal(size=(4, 3, 3))
B, I = np.array([True, False, True, True]), np.array([0, 2, 1, 1])  # noqa: E741
HALF = X.astype(np.float32)


def written(x, i):
    h = x * 1.0
    h[i] = 5.0
    return h


def written_by_mask(x):
    h = x * 1.0
    h[h > 0] = 0.0
    return h


def newton(s):
    x = s
    for _ in range(5):
        x = 0.5 * (x + s / x)
    return x


PROGRAMS = {
    "math": (lambda x: math.sin(x) * 2.0 + math.exp(x), S),
    "hypot": (lambda x: math.hypot(x, 2.0) + abs(x), S),
    "float": (lambda x: float(x) * 2.0, S),
    "reciprocal": (lambda x: 1.0 / float(x), S),
    "powers": (lambda x: float(x) ** 2 + 2.0 ** float(x), S),
    "complex powers": (lambda x: float(x) ** 0.5, S),
    "logarithm": (lambda x: math.log(abs(x)) + math.atan2(x, 2.0), S),
    "sum of numbers": (lambda x: math.fsum(x) + sum(x) + max(x[0], 0.1), X),
    "item": (lambda x: x[0].item() + x.tolist()[1] * 2.0, X),
    "half of a float": (lambda x: float(x) * 2.0, S.astype(np.float32)),
    "flag": (lambda f, x: np.where(f, x, -x), B, X),
    "place": (lambda i, x: x[i] * x[0], I, X),
    "row and column": (lambda i, m: m[i, :] + m[:, i], I, M),
    "written": (lambda i, x: written(x, i), I, X),
    "written by mask": (written_by_mask, X),
    "iterated": (lambda x: sum(r * 2 for r in x), X),
    "unpacked": (lambda x: (lambda a, b, c: a * b + c)(*x), X),
    "array of numbers": (lambda x: np.array([x[0], x[1] * 2.0, 1.0]), X),
    "rotation": (
        lambda x: np.array([[math.cos(x), -math.sin(x)], [math.sin(x), math.cos(x)]]),
        S,
    ),
    "astype": (lambda x: x.astype(np.float32) * 2.0, X),
    "single precision": (lambda x: x * 1.5 + np.float32(2.0), HALF),
    "scalars of single precision": (lambda s, x: s * x, S.astype(np.float32), HALF),
    "two precisions": (lambda s, x: s * x, S, HALF),
    "integers": (lambda i: (i * 2 + 1, i / 2), I),
    "comparison": (lambda x: (x > 0.0, np.argmax(x)), X),
    "methods": (lambda x: x.sum() + x.mean() * x.std() + x.dot(x) + x.T @ x, X),
    "extremes": (lambda x: x.max() - x.min() + np.ptp(x), X),
    "sorted": (lambda x: np.sort(x)[::-1] + x[np.argsort(x)], X),
    "selected by mask": (lambda x: np.sum(x[x > 0]), X),
    "newton": (newton, np.abs(S) + 0.5),
    "linear algebra": (
        lambda m, x: (np.linalg.solve(m, x), np.linalg.inv(m) @ m.T),
        M,
        X,
    ),
    "spectrum": (lambda m: (np.linalg.eigvalsh(m + m.T), np.linalg.svd(m)[1]), M),
    "named results": (np.linalg.slogdet, M),
    "norm": (lambda x: x / np.linalg.norm(x), X),
    "interp": (
        lambda x: np.interp(x, np.array([-1.0, 0, 1]), np.array([1.0, 2, 0])),
        X,
    ),
    "interp in each": (lambda x: np.interp(0.3, np.sort(x), x), X),
    "convolve": (lambda x: np.convolve(x, x[:2]), X),
    "polyval": (np.polyval, X, S),
    "quantiles": (lambda x: (np.median(x), np.quantile(x, [0.2, 0.7])), X),
    "gradient": (lambda x: (np.diff(x), np.gradient(x), np.trapezoid(x)), X),
    "cov": (np.cov, M),
    "pad": (lambda x: np.pad(x, (1, 2), mode="edge"), X),
    "triangles": (lambda m: np.tril(m) + np.triu(m, 1) + np.trace(m), M),
    "products": (lambda x: (np.outer(x, x), np.kron(x, x), np.cross(x, X[0])), X),
    "einsum": (lambda m, x: (np.einsum("ij,j->i", m, x), np.einsum("ii", m)), M, X),
    "fourier": (lambda x: np.abs(np.fft.fft(x)) + np.real(np.exp(1j * x)), X),
    "clip": (lambda x: np.clip(x, -0.5, x[0]), X),
    "take": (lambda x, i: np.take(x, i), X, I),
    "joined": (lambda x, s: np.concatenate([x, [s], np.ones(2)]), X, S),
    "stacked": (lambda x, s: (np.stack([x, x * s]), np.hstack([x, s])), X, S),
    "filled": (lambda x, s: (np.full(3, s), np.full_like(x, s)), X, S),
    "ranges": (lambda s: np.linspace(0.0, s, 4) * np.arange(4), S),
    "meshgrid": (lambda x: np.meshgrid(x, x)[0], X),
    "repeated": (lambda m: (np.repeat(m, 2), np.split(m, 3)[1], np.tile(m[0], 2)), M),
    "rounded": (lambda x: (np.round(x, 1), x % 0.7, x // 0.7), X),
    "divmod": (lambda s: divmod(s, 0.7), S),
    "accumulated": (
        lambda x: np.logaddexp.reduce(x) + np.maximum.accumulate(x) + np.cumprod(x),
        X,
    ),
    "along an axis": (lambda m: np.apply_along_axis(lambda r: r * 2, 0, m), M),
    "unique": (lambda x: np.unique(x).sum() + np.nonzero(x)[0].sum(), X),
    "select": (lambda x: np.select([x > 0.5, x > 0], [x, 2 * x], 0.0), X),
    "piecewise": (
        lambda x: np.piecewise(x, [x < 0, x >= 0], [np.negative, np.square]),
        X,
    ),
    "vander": (np.vander, X),
    "as array": (lambda x: np.asarray(x) + np.array(x) + np.atleast_1d(x), X),
    "containers": (lambda d: {"a": d["x"] * 2, "b": (d["y"], None)}, {"x": X, "y": S}),
    "closure": (lambda x: x * S[0] + X[0], X),
    "gradient of each": (lambda x: grad(lambda y: np.sum(y**3))(x), X),
    "jacobian of each": (lambda x: jacobian(lambda y: y**2 * y[0])(x), X),
    "hessian of each": (lambda x: hessian(lambda y: np.sum(y**3) * y[0])(x), X),
    "tangent of each": (lambda x: jvp(np.sin, (x,), (x,))[1], X),
    "pull-back of each": (lambda x: vjp(np.sin, x)[1](x)[0], X),
    "batch of each": (lambda m: vmap(lambda r: r / np.sum(r), 1, 1)(m), M),
}


def element_of(args, i):
    leaves, structure = flatten(args)
    return unflatten(structure, [None if leaf is None else leaf[i] for leaf in leaves])


def loop(function, args, size=SIZE):
    """What a batch means."""
    each = [flatten(function(*element_of(args, i))) for i in range(size)]
    columns = zip(*(leaves for leaves, _ in each), strict=True)
    return unflatten(
        each[0][1], [None if c[0] is None else np.stack(c) for c in columns]
    )


def assert_same(found, expected):
    ours, structure = flatten(found)
    theirs, other = flatten(expected)
    assert structure == other
    for a, b in zip(ours, theirs, strict=True):
        assert type(a) is type(b)
        if b is not None:
            assert (a.dtype, a.shape) == (b.dtype, b.shape)
            np.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-10)


@pytest.mark.filterwarnings("ignore:a number was taken out")
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    function, *args = PROGRAMS[name]
    expected = loop(function, args)
    mapped = vmap(function)
    traced = srcgrad.trace(lambda *args: vmap(function)(*args))
    for _ in range(3):
        assert_same(mapped(*args), expected)
        assert_same(traced(*args), expected)


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_of_programs(name):
    function, *args = PROGRAMS[name]
    by = [
        k
        for k, x in enumerate(args)
        if isinstance(x, np.ndarray) and x.dtype == np.float64
    ]
    expected = loop(function, args)
    if not by or not isinstance(expected, np.ndarray) or expected.dtype != np.float64:
        return  # nothing to differentiate

    def by_batch(*args):
        return np.sum(np.cos(vmap(function)(*args)))

    def by_loop(*args):
        return sum(np.sum(np.cos(function(*(x[i] for x in args)))) for i in range(SIZE))

    wanted = grad(by_loop, by)(*args)
    for ours in (grad(by_batch, by), grad(srcgrad.trace(by_batch), by)):
        for _ in range(3):
            assert_same(ours(*args), wanted)


def batch_of(args):
    """Arguments near some: three of each leaf."""
    leaves, structure = flatten(args)
    wide = [
        None
        if leaf is None
        else np.stack([np.asarray(leaf) * (1.0 + 1e-2 * k) for k in range(3)])
        for leaf in leaves
    ]
    return unflatten(structure, wide)


def tangents(function):
    return lambda *args: jvp(function, args, args)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize(
    "transform",
    [
        lambda function: function,
        jacobian,
        lambda function: jacobian(function, mode="forward"),
        tangents,
    ],
    ids=["value", "reverse", "forward", "tangents"],
)
def test_transforms_of_elements(name, transform):
    function, args = FUNCTIONS[name]
    made, wide = transform(function), batch_of(args)
    expected = loop(made, wide, 3)
    mapped = vmap(made)
    traced = srcgrad.trace(lambda *args: vmap(made)(*args))
    for _ in range(3):
        assert_same(mapped(*wide), expected)
        assert_same(traced(*wide), expected)
