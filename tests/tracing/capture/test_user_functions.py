"""Users' Functions in traced functions: compiled where sound, and as on the tape."""

import numpy as np
import pytest

import srcgrad
from srcgrad import Function, Variable
from tests.functions import Cube, Product, SinCos
from tests.variables import vector


class Sign(Function):
    """A straight-through estimator: the gradient is no derivative at all."""

    @staticmethod
    def forward(ctx, x):
        return np.sign(x)

    @staticmethod
    def backward(ctx, g):
        return g


class Clipped(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 1.0

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return np.clip(g * x, -1.5, 1.5)


class WrongSquare(Function):
    @staticmethod
    def forward(ctx, x):
        y = x * x
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return 7.0 * g * x * y


class MaybeNone(Function):
    """Looks whether its results were used."""

    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(x)
        return x * 2.0, x * 3.0

    @staticmethod
    def backward(ctx, first, second):
        (x,) = ctx.saved_tensors
        if second is None:
            return first * x
        return second * 4.0


class Ones(Function):
    """A gradient that depends on nothing."""

    @staticmethod
    def forward(ctx, x):
        largest = np.floor(x)
        ctx.mark_non_differentiable(largest)
        return x + 1.0, largest

    @staticmethod
    def backward(ctx, g, _):
        return np.ones(3)


class Branching(Function):
    """Looks at values in ``forward``."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        if np.sum(x) > 100.0:
            return x * 5.0
        return x + 2.0

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * np.sin(x)


class Flat(Function):
    """Returns a view, and calls another Function."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return Cube.apply(x).reshape(3, 1)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return Cube.apply(x) * g.reshape(3)


class View(Function):
    @staticmethod
    def forward(ctx, x):
        return x[:]

    @staticmethod
    def backward(ctx, g):
        return g * 2.0


sign = Sign.apply


def only_w(x, w):
    return np.sum(Product.apply(x.detach(), w, 2) * x)


def one_used(x, w):
    first, _ = MaybeNone.apply(x * w)
    return np.sum(first * first)


def other_used(x, w):
    _, second = MaybeNone.apply(x * w)
    return np.sum(second * second)


def ones(x, w):
    out, largest = Ones.apply(x * w)
    return np.sum(out * largest * x)


def both(x, w):
    s, c = SinCos.apply(x * w)
    return np.sum(s * s * c + w)


def first_of_two(x, w):
    s, _ = SinCos.apply(x * w)
    return np.sum(s * s * x)


class Total(Function):
    """A result that is a number; a number among the arguments; and an ndarray."""

    @staticmethod
    def forward(ctx, x, weights, scale):
        out = np.sum(x * weights) * scale
        ctx.save_for_backward(x, weights, out)
        return out

    @staticmethod
    def backward(ctx, g):
        x, weights, out = ctx.saved_tensors
        return g * out * weights * x, None, None


def changed_after(x, w):
    y = Cube.apply(x * w)
    y += w
    return np.sum(y * y)


def inner_gradient(x, w):
    inner = srcgrad.grad(lambda v: np.sum(WrongSquare.apply(v * w)))
    return np.sum(inner(x) * w)


def total(x, w):
    weights = np.arange(3.0)
    return Total.apply(x * w, weights, 2.5) * np.sum(x)


PROGRAMS = {
    "changed after": changed_after,
    "inner gradient": inner_gradient,
    "total": total,
    "cube": lambda x, w: np.sum(Cube.apply(x * w) * w),
    "bare": lambda x, w: Cube.apply(x),
    "twice": lambda x, w: np.sum(Cube.apply(Cube.apply(x)) * w),
    "sign": lambda x, w: np.sum(sign(x * w) * x * x),
    "clipped": lambda x, w: np.sum(Clipped.apply(x * w) ** 2 * w),
    "wrong": lambda x, w: np.sum(WrongSquare.apply(x * w) * w),
    "product": lambda x, w: np.sum(Product.apply(x, w, 2) * x),
    "only w": only_w,
    "one used": one_used,
    "other used": other_used,
    "ones": ones,
    "both": both,
    "first of two": first_of_two,
    "branching": lambda x, w: np.sum(Branching.apply(x * w) * w),
    "flat": lambda x, w: np.sum(Flat.apply(x * w)[:, 0] * w),
}

X = [np.array([0.5, -1.2, 2.0]), np.array([1.5, 0.3, -0.7])]
W = [np.array([1.1, 0.4, -0.6]), np.array([0.2, 2.5, 0.9])]


def outcome(f, x, w, order, further=()):
    """Value, gradients, and those of the gradients, or the error."""
    x = Variable(x.copy(), requires_grad=True)
    w = Variable(w.copy(), requires_grad=True)
    out = f(x, w, *further)
    seed = np.arange(1.0, 4.0) if out.shape else None
    if order == 1:
        out.backward(seed)
        return [out.data, *(v.grad is not None and v.grad.data for v in (x, w))]
    try:
        first = srcgrad.autograd.grad(
            out,
            (x, w),
            None if seed is None else (seed,),
            create_graph=True,
            allow_unused=True,
        )
        total = sum((g * g * (x + 0.5)).sum() for g in first if g is not None)
        total.backward()
    except TypeError as error:
        # Python 3.10 has no notes: where it happened is a further line of the text.
        return [str(error).partition("\nin the backward pass of")[0]]
    return [total.data, *(v.grad is not None and v.grad.data for v in (x, w))]


def assert_same(found, expected):
    assert len(found) == len(expected)
    for a, b in zip(found, expected, strict=True):
        if isinstance(b, str):
            assert a == b
        else:
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("name", PROGRAMS)
def test_traced_as_untraced(name, order):
    f = PROGRAMS[name]
    traced = srcgrad.trace(f)
    for x, w in zip((X[0], X[0], X[1]), (W[0], W[0], W[1]), strict=True):
        assert_same(outcome(traced, x, w, order), outcome(f, x, w, order))
    assert traced.stats.compiled == 2, traced.explain()


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name != "bare"])
def test_gradients_of_arrays_are_as_untraced(name):
    if name == "only w":
        pytest.skip("ndarrays have no detach")
    f = PROGRAMS[name]
    traced = srcgrad.trace(f)
    for x, w in zip((X[0], X[0], X[1]), (W[0], W[0], W[1]), strict=True):
        value, grads = srcgrad.value_and_grad(traced, (0, 1))(x, w)
        expected, others = srcgrad.value_and_grad(f, (0, 1))(x, w)
        np.testing.assert_allclose(value, expected, rtol=1e-12)
        for a, b in zip(grads, others, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)
    assert traced.stats.compiled == 2, traced.explain()


def test_arguments_that_are_no_variables_are_compiled_too():
    def f(x, w, weights, scale):
        doubled = Cube.apply(weights)
        return Total.apply(x * w, doubled, scale) * np.sum(x)

    traced = srcgrad.trace(f)
    for scale, weights in ((2.0, X[0]), (2.0, X[0]), (3.0, X[1])):
        found = outcome(traced, X[1], W[0], 2, (weights, scale))
        assert_same(found, outcome(f, X[1], W[0], 2, (weights, scale)))
    assert traced.stats.compiled == 2, traced.explain()


def test_changing_a_view_is_as_untraced():
    def f(x):
        a = x * 2.0
        y = Flat.apply(a)
        b = View.apply(a)
        b *= 2.0
        return np.sum(a * b) + np.sum(y)

    def value(f):
        try:
            return f(Variable(X[0].copy())).data
        except RuntimeError as error:
            return str(error)

    traced = srcgrad.trace(f)
    for _ in range(3):
        assert value(traced) == value(f)


def test_which_arguments_require_grad_counts():
    def f(x, w):
        return np.sum(Product.apply(x, w, 2))

    traced = srcgrad.trace(f)
    for needs in ((True, False), (False, True)) * 2:
        args = [
            Variable(a.copy(), requires_grad=n)
            for a, n in zip((X[0], W[0]), needs, strict=True)
        ]
        same = [
            Variable(a.copy(), requires_grad=n)
            for a, n in zip((X[0], W[0]), needs, strict=True)
        ]
        traced(*args).backward()
        f(*same).backward()
        for a, b in zip(args, same, strict=True):
            assert (a.grad is None) == (b.grad is None)
            if a.grad is not None:
                np.testing.assert_allclose(a.grad.data, b.grad.data)
    assert traced.stats.compiled == 2, traced.explain()


def test_the_source_has_the_lines_of_both():
    traced = srcgrad.trace(PROGRAMS["wrong"])
    traced(vector(*X[0]), vector(*W[0]))
    assert "return 7.0 * g * x * y" in traced.source()
    assert "y = x * x" in traced.source()


def test_calls_stand_beside_those_of_traced_functions():
    f = srcgrad.trace(lambda x: x * x)
    for _ in range(3):
        x = vector(1.0, 2.0)
        f(Cube.apply(f(x))).sum().backward()
        np.testing.assert_array_equal(x.grad.data, 12 * x.data**11)
    assert f.stats.compiled > 3
