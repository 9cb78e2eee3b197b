"""Users' Functions that stay on the tape, and why."""

import numpy as np
import pytest

import srcgrad
from srcgrad import Function
from tests.functions import Cube, Exp, Product, Scaled
from tests.variables import vector

X = [np.array([0.5, -1.2, 2.0])]


class Inherited(Cube):
    pass


class OnesOf(Function):
    """Reads a global in ``backward``."""

    @staticmethod
    def forward(ctx, x):
        return x * 1.0

    @staticmethod
    def backward(ctx, g):
        return g * SCALE


SCALE = 4.0


class StoresOnContext(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.factor = 3.0
        return x * 3.0

    @staticmethod
    def backward(ctx, g):
        return g * ctx.factor


class Looks(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 3.0

    @staticmethod
    def backward(ctx, g):
        return g if np.max(g) < 2.0 else g * 0.5


class Same(Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 2.0


class Dirty(Function):
    @staticmethod
    def forward(ctx, x):
        x += 1.0
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 2.0


class WritesView(Function):
    @staticmethod
    def forward(ctx, x):
        part = x[1:]
        part *= 2.0
        return part + 1.0

    @staticmethod
    def backward(ctx, g):
        return np.concatenate([np.zeros(1), g])


class WritesInBackward(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 1.0

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        y = x * 2.0
        y *= 3.0
        return g * y


class Constant(Function):
    @staticmethod
    def forward(ctx, x):
        return np.ones(3)

    @staticmethod
    def backward(ctx, g):
        return g * 2.0


REFUSED = {
    "inherited": (lambda x: np.sum(Inherited.apply(x)), "inherits"),
    "old style": (lambda x: np.sum(Scaled(3.0)(x, x)), "Function of the user's own"),
    "once differentiable": (lambda x: np.sum(Exp.apply(x)), "is decorated"),
    "a global": (
        lambda x: np.sum(OnesOf.apply(x)),
        "reads the environment in the backward",
    ),
    "ctx": (lambda x: np.sum(StoresOnContext.apply(x)), "attribute `factor`"),
    "looks at g": (lambda x: np.sum(Looks.apply(x) * 1.5), "looks at values"),
    "input": (lambda x: np.sum(Same.apply(x)), "returns an array twice"),
    "dirty": (lambda x: np.sum(Dirty.apply(x * 1.0)), "in place"),
    "view": (lambda x: np.sum(WritesView.apply(x * 1.0)), "in place"),
    "in backward": (lambda x: np.sum(WritesInBackward.apply(x)), "in place in the"),
    "constant": (lambda x: np.sum(Constant.apply(x)), "not computed from"),
    "number": (lambda x: Cube.apply(np.sum(x)), "with a number"),
    "twice": (lambda x: np.sum(Product.apply(x, x, 1)), "one array twice"),
    "results": (lambda x: (np.sum(Cube.apply(x)), np.sum(x)), "several results"),
    "list": (lambda x: np.sum(next(map(Cube.apply, [x]))), "passes `apply`"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_stays_on_the_tape(name):
    f, reason = REFUSED[name]
    traced = srcgrad.trace(f)

    def outcomes(f):
        x = vector(*X[0])
        out = f(x)
        out = out[0] if isinstance(out, tuple) else out
        out.backward()
        return x.grad.data.tolist(), out.data

    for _ in range(3):
        assert outcomes(traced) == outcomes(f)
    assert traced.stats.compiled == 0
    assert reason in traced.explain()


def test_traced_calls_that_are_once_differentiable_stay_on_the_tape():
    @srcgrad.trace
    def f(x):
        return np.sum(Exp.apply(x) * 2.0)

    for _ in range(3):
        x = vector(1.0, 2.0)
        f(x).backward()
        np.testing.assert_array_equal(x.grad.data, 2.0 * np.exp([1.0, 2.0]))
    assert f.stats.compiled == 0
    assert f.stats.tape == 3
    assert "calls Exp, a Function of the user's own" in f.explain()


def test_effects_are_not_repeated_by_a_second_derivative():
    """It would run the whole function again."""
    log = []

    @srcgrad.custom_vjp
    def cube(x):
        return x**3

    cube.defvjp(
        lambda x: (x**3, x),  # Python 3.10 tells lambdas apart by their lines
        lambda x, g: (g * 3.0 * x * x,),
    )

    @srcgrad.trace
    def f(x):
        log.append(len(x))
        return np.sum(cube(x))

    for count in range(1, 4):
        x = vector(1.0, 2.0)
        (g,) = srcgrad.autograd.grad([f(x)], [x], create_graph=True)
        g.sum().backward()
        np.testing.assert_array_equal(x.grad.data, [6.0, 12.0])
        assert len(log) == count
    assert "has effects, and calls a Function of the user's" in f.explain()


def test_traced_calls_stay_on_the_tape_in_the_old_style():
    @srcgrad.trace
    def f(x):
        return np.sum(Scaled(3.0)(x, x))

    for _ in range(3):
        x = vector(1.0, 2.0)
        f(x).backward()
        np.testing.assert_array_equal(x.grad.data, [6.0, 12.0])
    assert f.stats.compiled == 0
