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


def test_why_it_is_not_compiled_is_told():
    called = WAYS["grad"](functions()["vjp"])
    for _ in range(3):
        called(X)
    assert "has a derivative of the user's own" in called.explain()
