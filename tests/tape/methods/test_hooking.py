"""Hooks on Variables; gradients kept inside a graph."""

import gc
import weakref

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable, autograd
from tests.variables import collect, vector

# ----- Hooks -----


def test_a_hook_gets_a_variable():
    seen = []
    x = vector(1.0, 2.0)
    y = x * x
    y.register_hook(lambda grad: seen.append((type(grad), grad.requires_grad)))
    y.sum().backward()
    assert seen == [(Variable, False)]


@pytest.mark.parametrize("on", ["leaf", "interior", "root"])
def test_a_replacement_goes_on(on):
    x = vector(1.0, 2.0)
    y = x * 3
    out = y.sum()
    {"leaf": x, "interior": y, "root": out}[on].register_hook(lambda grad: grad * 10)
    out.backward()
    np.testing.assert_array_equal(x.grad.data, [30.0, 30.0])


def test_none_changes_nothing():
    x = vector(1.0)
    x.register_hook(lambda grad: None)
    (x * 2).backward()
    np.testing.assert_array_equal(x.grad.data, [2.0])


def test_on_a_leaf_once_with_the_sum_of_this_walk():
    seen = []
    x = vector(1.0, 2.0)
    x.register_hook(collect(seen))
    for _ in range(2):
        (x * x + 3 * x).sum().backward()
    assert seen == [[5.0, 7.0]] * 2
    np.testing.assert_array_equal(x.grad.data, [10.0, 14.0])


def test_on_an_interior_variable_once_with_the_sum():
    seen = []
    x = vector(1.0)
    y = x * 2
    y.register_hook(collect(seen))
    (y * y + y).backward()
    assert seen == [[5.0]]


def test_each_result_has_its_own_slice():
    seen = {"first": [], "second": []}
    x = Variable(np.arange(4.0), requires_grad=True)
    first, second = np.split(x, 2)
    first.register_hook(collect(seen["first"]))
    second.register_hook(collect(seen["second"]))
    second.register_hook(lambda grad: grad * 10)
    (2 * first + 3 * second).sum().backward()
    assert seen == {"first": [[2.0, 2.0]], "second": [[3.0, 3.0]]}
    np.testing.assert_array_equal(x.grad.data, [2.0, 2.0, 30.0, 30.0])


def test_results_that_are_not_used_have_no_gradient_to_show():
    seen = []
    x = Variable(np.arange(4.0), requires_grad=True)
    first, second = np.split(x, 2)
    first.register_hook(collect(seen))
    second.sum().backward()
    assert seen == []
    np.testing.assert_array_equal(x.grad.data, [0.0, 0.0, 1.0, 1.0])


@pytest.mark.parametrize("method", ["register_hook", "retain_grad"])
@pytest.mark.parametrize(
    ("x", "match"),
    [
        (Variable([1.0]), "a variable that doesn't require gradient.*test_hooking"),
        (Variable([1.0], volatile=True), "a volatile variable"),
    ],
)
def test_only_where_a_gradient_flows(x, match, method):
    args = [print] if method == "register_hook" else []
    with pytest.raises(RuntimeError, match=f"(?s){match}"):
        getattr(x, method)(*args)


def test_what_a_hook_keeps_is_its_own():
    kept = []
    x = vector(1.0, 2.0)
    y = x * 1.0
    y.register_hook(kept.append)
    x.register_hook(kept.append)
    (y + x).sum().backward()
    x.grad.data[...] = 50.0
    (x * x).sum().backward()
    assert [grad.data.tolist() for grad in kept[:2]] == [[1.0, 1.0], [2.0, 2.0]]


def test_a_change_in_place_stays_on_its_way():
    """As in PyTorch, it goes on; but not to others that have the same array."""
    x, z = vector(1.0, 2.0), vector(1.0, 2.0)

    def double(grad):
        grad.data[...] *= 2

    y = x * 1.0
    y.register_hook(double)
    (y + z).sum().backward()
    np.testing.assert_array_equal(x.grad.data, [2.0, 2.0])
    np.testing.assert_array_equal(z.grad.data, [1.0, 1.0])


def test_a_scalars_gradient():
    seen = []
    x = Variable(np.float64(3.0), requires_grad=True)
    x.register_hook(lambda grad: seen.append(grad.item()) or grad * 2)
    (x * x).backward()
    assert seen == [6.0]
    assert x.grad.item() == 12.0


def test_autograd_grad_runs_hooks():
    x = vector(1.0)
    y = x * 2
    y.register_hook(lambda grad: grad * 10)
    grads = autograd.grad(y * 3, [x, y])
    assert [g.data.tolist() for g in grads] == [[60.0], [30.0]]


def test_hooks_are_differentiable():
    x = vector(3.0)
    y = x * 1.0
    handle = y.register_hook(lambda grad: grad * x)
    (first,) = autograd.grad(y * y, x, create_graph=True)  # 2 x * x
    handle.remove()  # it would see what comes to y in the second walk too
    (second,) = autograd.grad(first, x)
    np.testing.assert_array_equal(first.data, [18.0])
    np.testing.assert_array_equal(second.data, [12.0])


def test_hooks_are_off_the_tape():
    seen = []
    x = vector(1.0)
    x.register_hook(lambda grad: seen.append((grad * x).requires_grad))
    x.backward()
    assert seen == [False]
    assert srcgrad.is_grad_enabled()


def test_an_error_in_a_hook_leaves_gradients_alone():
    x, z = vector(1.0), vector(1.0)

    def fail(grad):
        raise KeyError("mine")

    x.register_hook(fail)
    with pytest.raises(KeyError, match="mine"):
        (x * z).backward()
    assert z.grad is None
    assert x.grad is None


# ----- retain_grad -----


def test_retain_grad():
    x = vector(1.0, 2.0)
    y = x * 2
    y.retain_grad()
    z = y * y
    assert y.grad is None
    z.sum().backward(retain_graph=True)
    np.testing.assert_array_equal(y.grad.data, [4.0, 8.0])
    assert z.grad is None
    z.sum().backward()
    np.testing.assert_array_equal(y.grad.data, [8.0, 16.0])


def test_retain_grad_on_a_leaf_and_twice():
    x = vector(1.0)
    x.retain_grad()
    y = x * 2
    y.retain_grad()
    y.retain_grad()
    (y * 3).backward()
    np.testing.assert_array_equal(x.grad.data, [6.0])
    np.testing.assert_array_equal(y.grad.data, [3.0])


@pytest.mark.parametrize("first", [True, False])
def test_what_is_retained_is_what_goes_on(first):
    x = vector(1.0)
    y = x * 2
    if first:
        y.retain_grad()
    y.register_hook(lambda grad: grad * 10)
    if not first:
        y.retain_grad()
    y.backward()
    np.testing.assert_array_equal(y.grad.data, [10.0])


def test_what_is_retained_aliases_nothing():
    x = vector(1.0, 2.0)
    y = x * 1.0
    y.retain_grad()
    (y + x).sum().backward()
    y.grad.data[...] = 100.0
    np.testing.assert_array_equal(x.grad.data, [2.0, 2.0])


def test_autograd_grad_leaves_what_is_retained_alone():
    x = vector(1.0)
    y = x * 2
    y.retain_grad()
    autograd.grad(y * 3, x)
    assert y.grad is None


def test_retain_grad_under_create_graph():
    x = vector(3.0)
    y = x * 1.0
    y.retain_grad()
    (y * y).backward(create_graph=True)
    (second,) = autograd.grad(y.grad, x)
    np.testing.assert_array_equal(second.data, [2.0])


# ----- Memory -----


def test_no_cycles():
    gc.disable()
    try:
        x = vector(1.0)
        y = x * 2
        handle = y.register_hook(lambda grad: handle.remove())
        y.grad_fn.register_hook(lambda gi, go: None)
        y.retain_grad()
        y.backward()
        gone = [weakref.ref(y), weakref.ref(y.grad_fn)]
        del y
        assert [ref() for ref in gone] == [None, None]
        hook = (lambda grad: grad * 2).__get__(object())
        gone = weakref.ref(hook)
        handle = x.register_hook(hook)
        del hook
        assert gone() is not None
        handle.remove()
        assert gone() is None
    finally:
        gc.enable()
