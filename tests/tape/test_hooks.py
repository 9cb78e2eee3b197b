"""Hooks themselves: registered, taken away, checked; and those on Functions."""

import gc
import weakref

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable, autograd
from tests.variables import vector

# ----- Registering and removing -----


def test_order_is_that_of_registration():
    x = vector(1.0)
    x.register_hook(lambda grad: grad + 1)
    x.register_hook(lambda grad: grad * 10)
    x.register_hook("named", lambda grad: grad - 1)
    (x * 2).backward()
    np.testing.assert_array_equal(x.grad.data, [29.0])


def test_remove():
    x = vector(1.0)
    handle = x.register_hook(lambda grad: grad * 2)
    kept = x.register_hook(lambda grad: grad + 1)
    handle.remove()
    handle.remove()
    x.backward()
    np.testing.assert_array_equal(x.grad.data, [2.0])
    with kept as same:
        assert same is kept
    x.backward()
    np.testing.assert_array_equal(x.grad.data, [3.0])


def test_a_hook_may_remove_itself():
    seen = []
    x = vector(1.0)

    def once(grad):
        seen.append(grad)
        handle.remove()

    handle = x.register_hook(once)
    x.backward()
    x.backward()
    assert len(seen) == 1


def test_old_spelling():
    x = vector(1.0)
    x.register_hook("double", lambda grad: grad * 2)
    with pytest.raises(
        AssertionError, match="Trying to register a second hook with name double"
    ):
        x.register_hook("double", print)
    x.backward()
    np.testing.assert_array_equal(x.grad.data, [2.0])
    x.remove_hook("double")
    x.backward()
    np.testing.assert_array_equal(x.grad.data, [3.0])


@pytest.mark.parametrize("x", [vector(1.0), vector(1.0) * 2, Variable([1.0])])
def test_remove_what_is_not_there(x):
    with pytest.raises(
        AssertionError, match="Trying to remove an inexistent hook with name double"
    ):
        x.remove_hook("double")


def test_a_hook_is_a_function():
    with pytest.raises(TypeError, match="a hook is a function, but got 3"):
        vector(1.0).register_hook(3)


def test_a_handle_keeps_nothing_alive():
    x = vector(1.0)
    node = weakref.ref(x.creator)
    handle = x.register_hook(print)
    del x
    gc.collect()
    assert node() is None
    handle.remove()


def double(grad):
    return grad * 2


def test_keys_are_not_recycled():
    x = vector(1.0)
    old = x.register_hook(double)
    old.remove()
    for _ in range(50):
        x.register_hook(lambda grad: None)
    x.register_hook(double)
    old.remove()
    x.backward()
    np.testing.assert_array_equal(x.grad.data, [2.0])


# ----- What hooks return -----


@pytest.mark.parametrize(
    ("replacement", "error", "match"),
    [
        (Variable(np.ones(3)), RuntimeError, r"has changed the size of value \(was"),
        (Variable(np.ones((1, 2))), RuntimeError, "has changed the size of value"),
        (np.ones(2) * 1j, RuntimeError, r"changed the type of value \(was float64 got"),
        (np.ones(2, int), RuntimeError, "changed the type of value"),
        (2.0, TypeError, "expected Variable, but hook .* returned 'float'"),
        ("text", TypeError, "expected Variable, but hook .* returned 'str'"),
    ],
)
def test_replacements_are_checked(replacement, error, match):
    x = vector(1.0, 2.0)
    y = x * 2
    y.register_hook(lambda grad: replacement)
    with pytest.raises(error, match=match):
        y.sum().backward()
    assert x.grad is None


def test_an_ndarray_or_another_precision_will_do():
    x = vector(1.0, 2.0)
    x.register_hook(lambda grad: np.full(2, 7.0, np.float32))
    x.sum().backward()
    np.testing.assert_array_equal(x.grad.data, [7.0, 7.0])
    assert x.grad.dtype == np.float64


def test_a_hook_that_would_lose_a_derivative():
    x = vector(3.0)
    y = x * 1.0
    y.register_hook(lambda grad: grad.data * 2)
    with pytest.raises(TypeError, match="its own derivative would be lost"):
        autograd.grad(y * y, x, create_graph=True)


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
    with pytest.raises(
        RuntimeError, match=r"(?s)Double is not in a graph.*call it first"
    ):
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
