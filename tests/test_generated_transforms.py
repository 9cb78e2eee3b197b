"""Transforms of transforms at random: generated code is the tape, written down."""

import functools

import numpy as np
import pytest

import srcgrad
from srcgrad import checkpoint, grad, hessian, hvp, jacobian, jvp, linearize, vjp, vmap
from srcgrad.tracing.traced import Traced

W = np.array([[0.5, -0.3, 0.2], [0.1, 0.4, -0.6], [0.3, 0.2, 0.7]])
ALONG = np.array([0.3, -0.7, 0.4])
POINTS = ([0.4, 0.9, -0.3], [0.2, 0.5, 0.7], [-0.6, -0.3, -0.9], [0.4, 0.9, -0.3])

# ----- Programs -----


class Model:
    def __init__(self):
        self.weights = np.array([0.3, 0.5, -0.2])

    def __call__(self, x):
        return np.tanh(self.weights * x) + 0.5 * x[::-1]

    def method(self, x):
        return self(x) * x


def loop(x):
    h = np.zeros(3)
    for i in range(4):
        h = np.tanh(W @ h + x * (i + 1))
    return h


def branch(x):
    if np.sum(x) > 0.0:
        return np.sin(x) * x
    return x**3 - x


def loop_with_a_test(x):
    s, k = x, 0
    while np.sum(s**2) > 0.5 and k < 6:
        s, k = 0.7 * s + 0.1 * np.sin(s), k + 1
    return s * x


def options(x, scale=2.0, *, shift=0.5):
    return scale * np.exp(-(x**2)) + shift * x


def containers(x):
    params = {"a": 2.0 * x, "b": (np.sin(x), x[0])}
    return params["a"] * params["b"][0] + params["b"][1]


def filled(x):
    h = np.zeros(3)
    for i in range(3):
        h[i] = x[i] * x[(i + 1) % 3]
    return h


def closure():
    scale = np.array([1.0, 2.0, 0.5])
    return lambda x: np.cumsum(scale * x) * np.sort(x)


def solved(x):
    return np.linalg.solve(W @ W.T + np.eye(3) * (1.0 + x[0] ** 2), x)


def waves(x):
    z = np.fft.fft(x) * np.exp(1j * x)
    return np.real(np.fft.ifft(z * z)) + np.abs(z)


def updated(x):
    h = np.sin(x) * 1.0
    h[0] = h[1] * x[2]
    h[[0, 2, 0]] *= x[:3]
    h[x > 0.3] += 0.5
    return h + x


def constant(x):
    return np.ones(3) * 2.0


@srcgrad.custom_vjp
def own_vjp(x):
    return 2.0 * np.sin(x)


@srcgrad.custom_jvp
def own_jvp(x):
    return np.exp(x) * x


own_vjp.defvjp(lambda x: (2.0 * np.sin(x), x), lambda x, g: (2.0 * g * np.cos(x),))
own_jvp.defjvp(lambda p, t: (np.exp(p[0]) * p[0], np.exp(p[0]) * (1.0 + p[0]) * t[0]))
model = Model()
PROGRAMS = (
    *(loop, branch, loop_with_a_test, options, containers, filled, closure(), solved),
    *(waves, updated, constant),
    *(
        model,
        model.method,
        functools.partial(options, shift=0.1),
        srcgrad.trace(filled),
    ),
    *(checkpoint(loop), lambda x: own_vjp(x * x) + x, lambda x: own_jvp(0.5 * x) * x),
)

# ----- Transforms: each makes of a function of a vector another such function -----


def with_own_vjp(f):
    made = srcgrad.custom_vjp(f)
    made.defvjp(lambda *args: (f(*args), args), lambda args, g: vjp(f, *args)[1](g))
    return made


def with_own_jvp(f):
    made = srcgrad.custom_jvp(f)
    made.defjvp(lambda primals, tangents: jvp(f, primals, tangents))
    return made


def traced(f):
    return f if isinstance(f, Traced) else srcgrad.trace(f)


def value_times_gradient(f):
    both = srcgrad.value_and_grad(lambda x: np.sum(f(x) ** 2))
    return lambda x: np.multiply(*both(x))


def with_aux(f):
    def h(x, k):
        y = f(x * k)
        return np.sum(y * y), {"y": y, "k": k}

    both = srcgrad.value_and_grad(h, argnums=(0, 1), has_aux=True)

    def made(x):
        (value, aux), (dx, dk) = both(x, 0.5)
        return value * dx + aux["y"] * dk + aux["k"]

    return made


def of_a_tree(f):
    slope = grad(lambda p: np.sum(f(p["a"] * p["b"][0])) + p["b"][1] ** 2)

    def made(x):
        found = slope({"a": x, "b": (x, 2.0)})
        return found["a"] + found["b"][0] + found["b"][1]

    return made


def along_a_tree(f):
    def h(p):
        return {"u": f(p[0]) * p[1], "v": (p[1] ** 2,)}

    def made(x):
        value, tangent = jvp(h, ((x, 0.5),), ((np.cos(x), 2.0),))
        return tangent["u"] + value["u"] + tangent["v"][0] + value["v"][0]

    return made


def back_through_a_tree(f):
    def made(x):
        value, f_vjp = vjp(lambda p, s: (f(p[0]) * s, [p[1] ** 2]), (x, x[::-1]), 0.5)
        (a, b), c = f_vjp((value[0], [np.sin(x)]))
        return a + b + c

    return made


def blocks(f):
    def made(x):
        by = hessian(lambda a, b: np.sum(f(a) * b * b), argnums=(0, 1))(x, 2.0 * x)
        return by[0][0] @ x + by[0][1] @ ALONG + by[1][1] @ x

    return made


def of_numbers(f):
    def h(s, x):
        y = f(x * s)
        return y[0] * y[1] + s

    def made(x):
        first, second = grad(h), grad(grad(h))
        return np.stack([first(0.5, x), second(0.4, x), first(1.5, x)])

    return made


TRANSFORMS = (
    *(with_aux, of_a_tree, along_a_tree, back_through_a_tree, blocks, of_numbers),
    lambda f: lambda x: vmap(lambda a, s: f(a) * s, (0, None))(x[None], 0.5)[0],
    lambda f: lambda x: vmap(grad(lambda a: np.sum(np.cos(f(a)))))(x[None])[0],
    lambda f: lambda x: srcgrad.elementwise_grad(lambda y: np.sin(y) * ALONG)(f(x)),
    lambda f: lambda x: linearize(lambda a, b: f(a) * b, x, 2.0 * x)[1](x, ALONG),
    *(checkpoint, with_own_vjp, with_own_jvp, traced, value_times_gradient),
    lambda f: grad(lambda x: np.sum(np.sin(f(x)))),
    lambda f: lambda x: jvp(f, (x,), (np.sin(x),))[1],
    lambda f: lambda x: vjp(f, x)[1](0.5 * x)[0],
    lambda f: lambda x: linearize(f, x)[1](ALONG),
    lambda f: lambda x: jacobian(f, mode="forward")(x) @ ALONG,
    lambda f: lambda x: ALONG @ jacobian(f, mode="reverse")(x),
    lambda f: lambda x: hessian(lambda y: np.sum(np.sin(f(y))))(x) @ x,
    lambda f: lambda x: hvp(lambda y: np.sum(f(y) ** 2), x, ALONG),
    lambda f: lambda x: np.sum(vmap(f)(np.stack([x, 2.0 * x])), axis=0),
    lambda f: lambda x: vmap(f, 1, -1)(np.stack([x, 0.5 * x], axis=1))[..., 1],
)


@pytest.mark.seeds(5)
def test_transforms_of_transforms(seed):
    rng = np.random.default_rng(seed)
    function = PROGRAMS[rng.integers(len(PROGRAMS))]
    for number in rng.integers(len(TRANSFORMS), size=rng.integers(2, 4)):
        function = TRANSFORMS[number](function)
    points = list(map(np.array, POINTS))
    with srcgrad.set_stance("tape"):
        expected = [function(x) for x in points]
        along = [function(points[0] + h * ALONG) for h in (1e-5, -1e-5)]
    for called in (function, traced(lambda x: function(x))):
        for x, value in zip(2 * points, 2 * expected, strict=True):
            np.testing.assert_allclose(called(x), value, rtol=1e-8, atol=1e-9)
    for _ in range(3):
        _, tangent = jvp(lambda x: function(x), (points[0],), (ALONG,))
    difference = (along[0] - along[1]) / 2e-5
    np.testing.assert_allclose(tangent, difference, rtol=3e-4, atol=3e-5)
