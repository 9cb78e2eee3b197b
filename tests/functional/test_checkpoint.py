"""``checkpoint``: the same gradients, and less that is kept."""

import functools
from dataclasses import dataclass

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable, checkpoint

X = np.array([0.3, -1.0, 2.0])
W = np.random.default_rng(0).normal(size=(3, 3))


def layer(x, w):
    return np.tanh(np.sin(x @ w) * x)


def plain(x, w):
    return np.sum(layer(layer(x, w), w) ** 2)


light = srcgrad.checkpoint(layer)


def by_arguments(x, w):
    return np.sum(light(light(x, w), w=w) ** 2)


def by_closure(x, w):
    again = srcgrad.checkpoint(lambda x: np.tanh(np.sin(x @ w) * x))
    return np.sum(again(again(x)) ** 2)


def nested(x, w):
    twice = srcgrad.checkpoint(lambda x: light(light(x, w), w))
    return np.sum(twice(x) ** 2)


EACH = pytest.mark.parametrize("f", [by_arguments, by_closure, nested])


@EACH
def test_all_derivatives(f):
    expected = srcgrad.grad(plain, (0, 1))(X, W)
    product = srcgrad.hvp(plain, (X, W), (X, W))
    for _ in range(4):
        for ours, theirs in zip(srcgrad.grad(f, (0, 1))(X, W), expected, strict=True):
            np.testing.assert_allclose(ours, theirs)
        for ours, theirs in zip(srcgrad.hvp(f, (X, W), (X, W)), product, strict=True):
            np.testing.assert_allclose(ours, theirs)
        found = srcgrad.jvp(f, (X, W), (X, W))
        np.testing.assert_allclose(found, srcgrad.jvp(plain, (X, W), (X, W)))


@EACH
def test_in_a_traced_function(f):
    traced = srcgrad.trace(f)
    expected = srcgrad.grad(plain, (0, 1))(X, W)
    for _ in range(3):
        x, w = (Variable(each, requires_grad=True) for each in (X, W))
        traced(x, w).backward()
        np.testing.assert_allclose(x.grad.data, expected[0])
        np.testing.assert_allclose(w.grad.data, expected[1])


def test_less_is_kept_in_generated_code():
    traced = srcgrad.trace(by_arguments)
    traced(*(Variable(each, requires_grad=True) for each in (X, W)))
    code = [line for line in traced.source().splitlines() if "# " not in line]
    assert "    x, w, tanh, tanh_1 = saved" in code
    assert sum("np.sin(" in line for line in code) == 4


def test_less_is_kept_on_the_tape():
    runs = []

    def f(x):
        runs.append(len(x))
        return np.exp(np.sin(x))

    x = Variable(X, requires_grad=True)
    out = srcgrad.checkpoint(f)(x)
    assert out.grad_fn.name() == "RunAgain"
    assert runs == [3]
    out.sum().backward()
    assert runs == [3, 3]
    np.testing.assert_allclose(x.grad.data, np.exp(np.sin(X)) * np.cos(X))
    with pytest.raises(RuntimeError, match="second time"):
        out.sum().backward()


def test_branches():
    f = srcgrad.checkpoint(lambda x: x * x if x > 0 else -x)
    for x in (2.0, 3.0, -1.0, -2.0, 4.0):
        assert srcgrad.grad(lambda x: f(x) * 3.0)(x) == (6.0 * x if x > 0 else -3.0)


def test_a_function_that_changes_is_an_error():
    rng = np.random.default_rng(0)
    f = srcgrad.checkpoint(lambda x: x * rng.normal())
    with pytest.raises(RuntimeError, match="gives another value when it runs again"):
        srcgrad.grad(f)(1.0)


def test_constants_and_containers():
    f = srcgrad.checkpoint(lambda p, n: {"y": p["x"] * n, "n": n, "c": np.ones(2)})
    for _ in range(3):
        assert srcgrad.grad(lambda x: f({"x": x}, 3)["y"])(2.0) == 3.0
    assert f({"x": 2.0}, 3)["y"] == 6.0


def test_second_derivatives_of_a_compiled_call():
    """The call is put on the tape, for which the checkpoint has kept nothing."""

    def f(x):
        return np.sum(np.tanh(np.outer(x, x) @ x) ** 2)

    point = np.array([0.3, -0.7, 1.1])
    traced = srcgrad.trace(lambda x: checked(x))
    checked = srcgrad.checkpoint(f)
    expected = srcgrad.hvp(f, point, np.ones(3))
    for _ in range(3):
        x = srcgrad.Variable(point, requires_grad=True)
        (g,) = srcgrad.autograd.grad([traced(x)], [x], create_graph=True)
        (found,) = srcgrad.autograd.grad([np.sum(g)], [x])
        np.testing.assert_allclose(found.data, expected)


@dataclass
class Parameters:
    w: object
    b: object


def affine(p, x):
    return np.tanh(p.w * x + p.b)


def test_it_runs_again_when_the_recording_of_its_call_is_over():
    @srcgrad.trace
    def loss(w, b, x):
        return np.sum(srcgrad.checkpoint(affine)(Parameters(w, b), x) ** 2)

    def slopes():
        w, b = (Variable(np.full(3, each), requires_grad=True) for each in (0.5, 0.0))
        loss(w, b, np.arange(3.0)).backward()
        return w.grad.data, b.grad.data

    with srcgrad.set_stance("tape"):
        expected = slopes()
    for _ in range(3):
        np.testing.assert_allclose(slopes(), expected)
    assert loss.stats.compiled > 0


class Scaled:
    def __init__(self):
        self.scale = np.array([1.0, 2.0])

    def __call__(self, x):
        return np.sin(self.scale * x) * x

    def method(self, x):
        return self(x)


scaled = Scaled()


@pytest.mark.parametrize(
    "function",
    [
        checkpoint(scaled.method),
        checkpoint(scaled),
        checkpoint(functools.partial(np.multiply, scaled.scale)),
        lambda x: checkpoint(scaled.method)(x) * x,
        lambda x: checkpoint(functools.partial(scaled.method))(x) * x,
    ],
)
def test_methods_objects_and_partials_run_again_after_a_recording(function):
    x = np.array([0.4, 0.9])
    expected = srcgrad.grad(lambda x: np.sum(function(x) * x))(x)
    traced = srcgrad.trace(lambda x: function(x))
    for _ in range(3):
        np.testing.assert_allclose(
            srcgrad.vjp(function, x)[1](x)[0], expected - function(x)
        )
        variable = srcgrad.Variable(x, requires_grad=True)
        traced(variable).backward(x)
        np.testing.assert_allclose(variable.grad.data, expected - function(x))


def test_what_runs_again_may_be_compiled_by_then():
    of_hessian = checkpoint(
        lambda x: srcgrad.hessian(lambda y: np.sum(np.sin(y)))(x) @ x
    )
    slope = srcgrad.grad(lambda x: np.sum(np.sin(of_hessian(x))))
    x = np.array([0.4, 0.9, 0.7])
    for _ in range(4):
        np.testing.assert_allclose(slope(x), slope(x), rtol=1e-12)


class Holder:
    def __init__(self, w):
        self.w = w

    def __call__(self, x):
        return np.sin(self.w * x)


def test_what_an_object_holds_is_there_until_the_walk_back_is_over():
    for _ in range(3):
        found = srcgrad.grad(lambda x: np.sum(checkpoint(Holder(x))(x)))(np.ones(2))
        np.testing.assert_allclose(found, 2.0 * np.cos([1.0, 1.0]))


def test_what_a_left_object_held_is_an_error():
    for _ in range(3):
        _, back = srcgrad.vjp(lambda x: np.sum(checkpoint(Holder(x))(x)), np.ones(2))
        with pytest.raises(
            RuntimeError, match=r"(?s)object .* has been left\n.*an argument"
        ):
            back(1.0)
