"""Hooks on Functions; hooks and traced functions."""

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable, autograd


def vector(*elements):
    return Variable(np.array(elements), requires_grad=True)


def collect(into):
    """A hook that notes what it gets."""

    def note(grad):
        into.append(grad.data.tolist())

    return note


# ----- On Functions -----


def test_a_function_hook_sees_both_sides():
    seen = []
    x, y = vector(1.0, 2.0), vector(3.0)
    product = x * y

    def look(grad_inputs, grad_outputs):
        seen.append(
            [[g.data.tolist() for g in each] for each in (grad_inputs, grad_outputs)]
        )

    handle = product.grad_fn.register_hook(look)
    product.sum().backward()
    # Each has its argument's shape.
    assert seen == [[[[3.0, 3.0], [3.0]], [[1.0, 1.0]]]]
    np.testing.assert_array_equal(y.grad.data, [3.0])
    handle.remove()
    (product * 1).grad_fn.register_hook(look)
    assert len(seen) == 1


def test_a_function_hook_replaces_gradients():
    x, y = vector(2.0), vector(3.0)
    product = x * y
    product.grad_fn.register_hook(lambda gi, go: (gi[0] * 10, None))
    product.grad_fn.register_hook(lambda gi, go: (gi[0] + 1, gi[1]))
    product.backward()
    np.testing.assert_array_equal(x.grad.data, [31.0])
    assert y.grad is None


def test_a_function_hook_may_return_one_gradient():
    x = vector(2.0)
    y = np.exp(x)
    y.grad_fn.register_hook(lambda gi, go: go[0] * 5)
    y.backward()
    np.testing.assert_array_equal(x.grad.data, [5.0])


def test_a_function_hook_of_several_results():
    seen = []
    x = Variable(np.arange(4.0), requires_grad=True)
    first, _second = np.split(x, 2)
    first.grad_fn.register_hook(
        lambda gi, go: seen.append([None if g is None else 1 for g in go])
    )
    first.sum().backward()
    assert len(seen) == 1
    assert len(seen[0]) == 2


@pytest.mark.parametrize(
    ("returned", "match"),
    [
        ((np.ones(1),), r"incorrect number of values \(got 1, but expected 2"),
        ((np.ones(1), np.ones(2)), "has changed the size of value"),
    ],
)
def test_replaced_inputs_are_checked(returned, match):
    x = vector(2.0)
    y = x * x
    y.grad_fn.register_hook(lambda gi, go: returned)
    with pytest.raises(RuntimeError, match=match):
        y.backward()


def test_none_cannot_become_a_gradient():
    class First(srcgrad.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x + y

        @staticmethod
        def backward(ctx, g):
            return g, None

    y = First.apply(vector(1.0), vector(1.0))
    y.grad_fn.register_hook(lambda gi, go: (gi[0], gi[0]))
    with pytest.raises(RuntimeError, match="can't replace a None gradient"):
        y.backward()


def test_old_spelling_on_functions():
    x = vector(2.0)
    y = x * x
    y.grad_fn.register_hook("ten", lambda gi, go: tuple(g * 10 for g in gi))
    with pytest.raises(AssertionError, match="a second hook with name ten"):
        y.grad_fn.register_hook("ten", print)
    y.backward(retain_graph=True)
    y.grad_fn.remove_hook("ten")
    with pytest.raises(AssertionError, match="an inexistent hook with name ten"):
        y.grad_fn.remove_hook("ten")
    y.backward()
    np.testing.assert_array_equal(x.grad.data, [44.0])


def test_hooks_on_an_instance_are_those_of_its_node():
    class Double(srcgrad.Function):
        def forward(self, x):
            return x * 2

        def backward(self, g):
            return g * 2

    function = Double()
    with pytest.raises(RuntimeError, match=r"Double is not in a graph.*call it first"):
        function.register_hook(print)
    x = vector(1.0)
    y = function(x)
    function.register_hook(lambda gi, go: gi[0] * 10)
    y.backward()
    np.testing.assert_array_equal(x.grad.data, [20.0])


def test_a_leaf_runs_nothing():
    with pytest.raises(RuntimeError, match="a Leaf runs nothing"):
        vector(1.0).creator.register_hook(print)


def test_function_hooks_are_differentiable():
    x = vector(3.0)
    y = x * x
    y.grad_fn.register_hook(lambda gi, go: tuple(g * x for g in gi))
    (first,) = autograd.grad(y, x, create_graph=True)  # 2 x * x
    (second,) = autograd.grad(first, x)
    np.testing.assert_array_equal(second.data, [12.0])


# ----- Traced functions -----


def test_hooks_on_inputs_and_outputs_of_a_traced_function():
    f = srcgrad.trace(lambda x, w: np.tanh(x @ w))
    calls = []
    for call in range(4):
        seen = []
        x, w = vector(1.0, 2.0), Variable(np.eye(2), requires_grad=True)
        h = x * 1.0
        for variable in (x, w, h):
            variable.register_hook(collect(seen))
        out = f(h, w)
        assert seen == [], f"recording call {call} has run the user's hooks"
        out.register_hook(lambda grad: grad * 2)
        out.register_hook(collect(seen))
        out.sum().backward()
        calls.append((sorted(seen, key=str), x.grad.data.tolist()))
    assert f.stats.compiled == 3
    for call in calls:
        np.testing.assert_allclose(call[1], calls[0][1])
        assert len(call[0]) == 4


def test_hooks_run_once_in_higher_derivatives_of_a_traced_function():
    f = srcgrad.trace(lambda h: np.sum(h * h * h))
    for _ in range(3):
        seen = []
        x = vector(2.0)
        h = x * 1.0
        h.register_hook(collect(seen))
        (first,) = autograd.grad(f(h), x, create_graph=True)
        assert seen == [[12.0]]
        (second,) = autograd.grad(first, x)
        np.testing.assert_array_equal(second.data, [12.0])


def test_an_argument_that_is_made_of_another():
    """The gradient of each is what the function itself gives it."""
    f = srcgrad.trace(lambda x, y: np.sum(x * y))
    for _ in range(3):
        x = vector(1.0, 2.0)
        f(x, x * 2).backward()
        np.testing.assert_array_equal(x.grad.data, [4.0, 8.0])
        y = x * 2
        (first,) = autograd.grad(f(x, y), x, create_graph=True)
        np.testing.assert_array_equal(first.data, [4.0, 8.0])
        (second,) = autograd.grad(first.sum(), x)
        np.testing.assert_array_equal(second.data, [4.0, 4.0])


def double(grad):
    return grad * 2


@pytest.mark.parametrize("what", ["variable", "function", "retain"])
def test_registering_inside_a_traced_function_keeps_it_on_the_tape(what):
    @srcgrad.trace
    def f(x):
        y = x * 3
        if what == "variable":
            y.register_hook(double)
        elif what == "retain":
            y.retain_grad()
        else:
            y.grad_fn.register_hook(lambda gi, go: tuple(g * 2 for g in gi))
        return np.sum(y)

    for _ in range(3):
        x = vector(1.0)
        f(x).backward()
        np.testing.assert_array_equal(x.grad.data, [3.0 if what == "retain" else 6.0])
    assert f.stats.compiled == 0
    assert f.explain().count("on the tape") > 1
