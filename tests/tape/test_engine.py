"""Deep graphs, the memory of a backward pass, what keeps a graph alive, and threads."""

import gc
import sys
import threading
import tracemalloc
import weakref

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable

MEGABYTE = 2**20


@pytest.fixture
def without_gc():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def variable(data):
    return Variable(np.array(data, float), requires_grad=True)


# ----- Depth -----


def test_a_million_additions_forward_backward_and_freed(without_gc):
    x = variable(0.0)
    y = x
    for _ in range(1_000_000):
        y = y + 1.0
    assert y.item() == 1e6
    first = weakref.ref(y.grad_fn)
    y.backward()
    assert x.grad.item() == 1.0
    del y
    assert first() is None


def test_a_deep_graph_that_is_never_walked(without_gc):
    y = variable([0.0])
    for _ in range(200_000):
        y = np.tanh(y) * y
    del y


def test_depth_is_not_that_of_the_stack():
    limit = sys.getrecursionlimit()
    x = variable(1.0)
    y = x
    for _ in range(10 * limit):
        y = np.sin(y)
    (g,) = srcgrad.autograd.grad(y, x, create_graph=True)
    g.backward()
    assert 0 < g.item() < 1e-3
    assert x.grad.item() < 0


def test_many_views_cost_no_more_each():
    x = variable(np.zeros((20_000, 2))) * 1.0
    rows = [x[i] for i in range(20_000)]
    assert len(rows) == x.storage.sharing() - 1


# ----- Memory -----


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


def test_no_graph_outlives_its_variables(without_gc):
    x, w = variable([[1.0, 2.0]]), variable([[1.0], [2.0]])

    def build():
        y = np.tanh(x @ w)
        z = np.concatenate([y, y * 2.0])
        z[0] += 1.0
        parts = np.split(z, 2)
        out = (parts[0] * parts[1]).sum()
        return out, [weakref.ref(v.grad_fn) for v in (y, z, parts[1], out)]

    out, nodes = build()
    del out
    assert [node() for node in nodes] == [None] * 4
    out, nodes = build()
    out.backward()
    del out
    assert [node() for node in nodes] == [None] * 4


def test_create_graph_leaves_no_cycle(without_gc):
    x = variable([1.0, 2.0])
    y = (x * x * x).sum()
    (g,) = srcgrad.autograd.grad(y, x, create_graph=True)
    nodes = [weakref.ref(y.grad_fn), weakref.ref(g.grad_fn)]
    del y, g
    assert [node() for node in nodes] == [None] * 2


def test_nothing_is_saved_where_no_gradient_is_needed():
    c = Variable(np.ones(3))
    v = Variable(np.ones(3), volatile=True)
    x = variable([1.0, 2.0, 3.0])
    for result in ((c * c) + 1.0, v * x, np.exp(v)):
        assert result.grad_fn is None
    with srcgrad.no_grad():
        assert (x * x).grad_fn is None
    assert (x * c).grad_fn.next_functions == ((x.creator, 0),)


# ----- Threads -----


def run_in_threads(count, function):
    errors = []

    def guarded(number):
        try:
            function(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def test_threads_accumulate_into_shared_leaves():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        w = variable(np.ones(5))

        def work(number):
            for _ in range(200):
                ((w * 2.0 + w) * float(number)).sum().backward()

        run_in_threads(4, work)
    finally:
        sys.setswitchinterval(interval)
    assert w.grad.data.tolist() == [200 * 3.0 * (0 + 1 + 2 + 3)] * 5


def test_threads_view_shared_leaves():
    w = variable(np.ones((50, 2)))

    def work(number):
        for i in range(500):
            w[i % 50].sum().backward()

    run_in_threads(4, work)
    assert w.grad.data.tolist() == [[40.0, 40.0]] * 50


def test_modes_are_those_of_a_thread():
    barrier = threading.Barrier(4)
    x = variable([1.0])

    def work(number):
        with srcgrad.set_grad_enabled(number % 2 == 0):
            barrier.wait(timeout=30)
            assert (x * 2.0).requires_grad is (number % 2 == 0)
            barrier.wait(timeout=30)
        assert srcgrad.is_grad_enabled()

    run_in_threads(4, work)
