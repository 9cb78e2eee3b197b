"""The walk back: its order, its depth, its memory, and buffers that it frees."""

import sys
import tracemalloc
import weakref

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from srcgrad.autograd import backward, grad
from tests.telling import in_full
from tests.variables import variable

# ----- Order -----


def test_order_is_the_reverse_of_creation():
    x = variable([1.0])
    ran = []

    class Noted(srcgrad.Function):
        def __init__(self, name):
            super().__init__()
            self.label = name

        def forward(self, array):
            return array * 1.0

        def backward(self, g):
            ran.append(self.label)
            return g

    a, b, c = (Noted(name)(x) for name in "abc")
    (c + (a + b)).backward()
    assert ran == ["c", "b", "a"]


def test_higher_order():
    x = variable(2.0)
    y = x**5
    for expected in (80.0, 160.0, 240.0, 240.0, 120.0):
        (y,) = grad(y, x, create_graph=True)
        assert y.item() == expected


def test_nan_and_infinity_flow():
    x = variable([np.nan, np.inf, 1.0])
    (x * x).backward(np.array([1.0, 1.0, np.nan]))
    assert np.array_equal(x.grad.data, [np.nan, np.inf, np.nan], equal_nan=True)


# ----- Buffers -----


@pytest.mark.parametrize("name", ["retain_graph", "retain_variables"])
def test_buffers_are_retained_under_both_names(name):
    x = variable(3.0)
    y = x * x
    y.backward(**{name: True})
    y.backward(np.array(1.0), **{name: False})
    assert x.grad.item() == 12.0
    with pytest.raises(RuntimeError) as error:
        y.backward()
    assert in_full(error.value).startswith(
        "Trying to backward through the graph second time, but the buffers have "
        "already been freed\nspecify retain_graph=True when calling backward for the "
        "first time\n"
    )
    backward([z := x * x], [None], **{name: True})
    backward(z)
    assert x.grad.item() == 24.0


def test_buffers_that_were_never_there():
    x, y = variable([1.0, 2.0]), variable([3.0, 4.0])
    out = (x + y - x + 1.0).sum()
    out.backward()
    out.backward()
    assert y.grad.data.tolist() == [2.0, 2.0]


def test_buffers_are_not_freed_by_a_walk_that_fails():
    x = variable([1.0, 2.0])
    y = x * x
    with pytest.raises(RuntimeError, match="does not fit"):
        y.backward(np.ones(3))
    y.backward(np.ones(2))
    assert x.grad.data.tolist() == [2.0, 4.0]


# ----- Depth -----


def test_many_additions_forward_backward_and_freed(without_gc):
    x = variable(0.0)
    y = x
    for _ in range(100_000):
        y = y + 1.0
    assert y.item() == 1e5
    first = weakref.ref(y.grad_fn)
    y.backward()
    assert x.grad.item() == 1.0
    del y
    assert first() is None


def test_depth_is_not_that_of_the_stack():
    limit = sys.getrecursionlimit()
    x = variable(1.0)
    y = x
    for _ in range(10 * limit):
        y = np.sin(y)
    (g,) = grad(y, x, create_graph=True)
    g.backward()
    assert 0 < g.item() < 1e-3
    assert x.grad.item() < 0


# ----- Memory -----


MEGABYTE = 2**20


def peak_of(function):
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        function()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("operation", [lambda y: y * 1.01, np.tanh, lambda y: y + y])
def test_backward_needs_a_small_number_of_arrays(operation):
    x = variable(np.full(MEGABYTE // 8, 0.5))
    y = x
    for _ in range(30):
        y = operation(y)
    total = y.sum()
    del y
    assert peak_of(total.backward) < 6 * MEGABYTE


def test_buffers_are_freed_as_the_walk_goes():
    x = variable(np.full(MEGABYTE // 8, 0.5))
    y = x
    for _ in range(30):
        y = np.tanh(y)
    total = y.sum()
    del y
    tracemalloc.start()
    try:
        total.backward()
        after = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert after < 2 * MEGABYTE  # the gradient; all else was there before
    assert total.grad_fn.next_functions[0][0].saved is None


def test_hooks_are_called_on_the_results_that_lead_to_a_target():
    v = variable([1.0, 2.0])
    first, second = np.split(v * 1.0, 2)
    sine, called = np.sin(first), []
    for name, each in (("first", first), ("second", second), ("sine", sine)):
        each.register_hook(lambda g, name=name: called.append(name))
    grad(np.sum(sine * second), [second], retain_graph=True)
    assert called == ["second"]
    called.clear()
    grad(np.sum(sine * second), [v])
    assert sorted(called) == ["first", "second", "sine"]


# ----- Byte order -----


@pytest.mark.parametrize("dtype", [">f8", ">f4", ">c16"])
@pytest.mark.parametrize("shape", [(), (2,)])
def test_a_gradient_keeps_the_byte_order(dtype, shape):
    x = Variable(np.ones(shape, dtype), requires_grad=True)
    for create_graph in (False, True):
        for _ in range(2):
            out = np.sum(x * x + x) + np.sum(np.stack([x, x])[0] * x.reshape(-1))
            out.backward(create_graph=create_graph)
            assert x.grad.dtype == x.dtype
        (g,) = grad(np.sum(x * x), x, create_graph=create_graph)
        assert g.dtype == x.dtype
    assert np.all(x.grad.data == 20.0)
