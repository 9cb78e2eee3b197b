"""A derivative of the user's own is not lost where a batch is recorded."""

from functools import partial

import numpy as np
import pytest

import srcgrad
from srcgrad import checkpoint, grad, jacobian, jvp, vjp, vmap

X = np.array([[0.3, 0.5], [-1.0, 2.0]])


class Scaled(srcgrad.Function):
    @staticmethod
    def forward(ctx, x):
        return np.sin(x)

    @staticmethod
    def backward(ctx, g):
        return g * 100.0


def sine(x):
    return np.sin(x)


def functions():
    """Functions whose derivative is 100, which that of the sine is not."""
    by_vjp, by_jvp = srcgrad.custom_vjp(sine), srcgrad.custom_jvp(sine)
    by_vjp.defvjp(lambda x: (np.sin(x), None), lambda _, g: (g * 100.0,))
    by_jvp.defjvp(lambda p, t: (np.sin(p[0]), t[0] * 100.0))
    return {"vjp": by_vjp, "jvp": by_jvp, "Function": Scaled.apply}


def total(f):
    return lambda x: np.sum(f(x))


WAYS = {
    "grad": lambda f: grad(total(vmap(lambda x: f(x) * 1.0))),
    "itself": lambda f: grad(total(vmap(f))),
    "traced": lambda f: grad(srcgrad.trace(total(vmap(f)))),
    "vmap": lambda f: grad(total(vmap(vmap(f)))),
    "vmap of grad": lambda f: vmap(grad(total(f))),
    "vmap of grad of vmap": lambda f: vmap(grad(total(vmap(f)))),
    "checkpoint": lambda f: grad(total(vmap(checkpoint(partial(f))))),
    "vjp": lambda f: lambda x: vjp(vmap(f), x)[1](np.ones((2, 2)))[0],
    "jvp": lambda f: lambda x: jvp(vmap(f), (x,), (np.ones((2, 2)),))[1],
    "jacobian": lambda f: lambda x: jacobian(vmap(f))(x).sum((0, 1)),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["vjp", "jvp", "Function"])
def test_a_mapped_function_keeps_its_own_derivative(kind, way):
    called = WAYS[way](functions()[kind])
    for number in (1.0, 2.0, 3.0):
        np.testing.assert_allclose(called(X * number), np.full((2, 2), 100.0))
    is_own = kind == "Function" and way != "vmap of grad"
    if hasattr(called, "stats") and not is_own and way != "checkpoint":
        assert called.stats.compiled


def test_why_it_is_not_compiled_is_told():
    called = WAYS["grad"](functions()["Function"])
    for _ in range(3):
        called(X)
    assert "has a derivative of the user's own" in called.explain()


@srcgrad.custom_vjp
def scaled(params, x, power):
    """Of containers, with a number that is the same for all, and one that is none's."""
    return {"out": params["w"] * np.sin(x), "sum": np.sum(x) * power}


def scaled_there(params, x, power):
    return scaled(params, x, power), (params["w"], np.cos(x), x, power)


def scaled_back(residuals, g):
    w, cosines, x, power = residuals
    by_w = 5.0 * np.sum(g["out"] * np.sin(x))
    return {"w": by_w}, 3.0 * g["out"] * w * cosines + power * g["sum"], None


scaled.defvjp(scaled_there, scaled_back)


def of_all_elements(x):
    found = vmap(scaled, ({"w": 0}, 0, None))({"w": x[:, 0]}, x, 2.0)
    return np.sum(np.sin(found["out"])) + np.sum(found["sum"] ** 2)


def of_one_and_all(x):
    inner = vmap(lambda row, w: scaled({"w": w}, row, 3.0), (None, 0))
    outer = vmap(lambda row: inner(row, x[0])["out"], out_axes=-1)
    return np.sum(np.cos(outer(x)))


def of_gradients(x):
    slope = grad(lambda row, w: np.sum(scaled({"w": w}, row, 1.0)["out"] ** 2), (0, 1))
    by_row, by_w = vmap(slope, (0, None))(x, x[0, 0])
    return np.sum(by_row * x) + np.sum(by_w**2)


@pytest.mark.parametrize("f", [of_all_elements, of_one_and_all, of_gradients])
def test_of_containers_numbers_and_residuals(f):
    for seed in range(4):
        x, v = np.random.default_rng(seed).normal(size=(2, 3, 2))
        with srcgrad.set_stance("tape"):
            expected = grad(f)(x), jvp(f, (x,), (v,))[1], srcgrad.hvp(f, x, v)
        found = grad(f)(x), jvp(f, (x,), (v,))[1], srcgrad.hvp(f, x, v)
        for ours, theirs in zip(found, expected, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-10)
    assert grad(f).stats.compiled
