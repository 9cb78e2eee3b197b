"""Traced functions in several threads at once, inside each other, and in themselves."""

import threading

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from tests.threads import run_in_threads
from tests.tracing.comparing import plain

X = np.array([0.5, -1.0, 2.0])


class Counter:
    def __init__(self):
        self.calls = 0
        self.seen = []

    def loss(self, x, k):
        self.calls += 1
        self.seen.append(k)
        y = np.zeros(3)
        y[:] = np.sin(x) * k
        return np.sum(y) if x[0] > 0 else -np.sum(y)


def test_each_thread_has_its_own_values():
    counters = [Counter() for _ in range(4)]

    def loss(counter, x, k):
        return counter.loss(x, k)

    traced = srcgrad.trace(loss)

    def work(number):
        for step in range(30):
            x = Variable(X * (-1) ** step, requires_grad=True)
            k = float(number + step)
            out = traced(counters[number], x, k)
            out.backward()
            sign = (-1) ** step
            expected = sign * k * np.cos(sign * X)
            np.testing.assert_allclose(x.grad.data, expected, rtol=1e-12)

    run_in_threads(4, work)
    for number, counter in enumerate(counters):
        assert counter.calls == 30
        assert counter.seen == [float(number + step) for step in range(30)]


def test_recordings_at_the_same_time():
    """All threads are inside the first call at once."""
    barrier = threading.Barrier(3)
    entered = []

    def waits():
        if len(entered) < 3:
            entered.append(0)
            barrier.wait(timeout=60)

    def f(x, k):
        waits()
        return np.sum(x * k) + np.sum(np.exp(x))

    traced = srcgrad.trace(f)

    def work(number):
        for _ in range(3):
            x = Variable(X, requires_grad=True)
            traced(x, 2.0 + number).backward()
            np.testing.assert_allclose(x.grad.data, 2.0 + number + np.exp(X))

    run_in_threads(3, work)


def test_transforms_in_threads():
    def f(x):
        out = []
        for k in range(3):
            out.append(x * k)
        return np.sum(out[2] * out[1])

    gradient = srcgrad.grad(srcgrad.trace(f))

    def work(number):
        for _ in range(20):
            np.testing.assert_allclose(gradient(X + number), 4.0 * (X + number))

    run_in_threads(4, work)


def test_recursion_through_traced_functions():
    @srcgrad.trace
    def power(x, n):
        return x if n == 0 else x * power(x, n - 1)

    def untraced(x, n):
        return x if n == 0 else x * untraced(x, n - 1)

    for n in (3, 2, 4, 3, 0, 3):
        assert plain(power(X, n)) == plain(untraced(X, n))
        np.testing.assert_allclose(
            srcgrad.grad(lambda x, n=n: np.sum(power(x, n)))(X), (n + 1) * X**n
        )


def test_traced_functions_that_call_each_other():
    @srcgrad.trace
    def even(x, n):
        return x if n == 0 else odd(x * 2.0, n - 1)

    @srcgrad.trace
    def odd(x, n):
        return -x if n == 0 else even(x + 1.0, n - 1)

    for n in (3, 4, 3, 1, 4):
        a, b = X, 1.0
        for k in range(n):
            a, b = (a * 2.0, b * 2.0) if k % 2 == 0 else (a + 1.0, b)
        sign = -1.0 if n % 2 else 1.0
        np.testing.assert_allclose(even(X, n), sign * a)
        np.testing.assert_allclose(
            srcgrad.grad(lambda x, n=n: even(x, n).sum())(X), sign * b
        )


def test_endless_recursion_is_the_users_error():
    @srcgrad.trace
    def endless(x):
        return endless(x + 1.0)

    with pytest.raises(RecursionError):
        endless(X)

    @srcgrad.trace
    def fine(x):
        return x * 2.0

    for _ in range(3):
        assert fine(X).tolist() == [1.0, -2.0, 4.0]


def test_a_function_that_is_called_again_by_what_it_calls():
    """By a callback from code that is not followed."""
    depth = []

    class Sorted:
        """Compared by `sorted`, which calls back."""

        def __init__(self, value):
            self.value = value

        def __lt__(self, other):
            if len(depth) < 2:
                depth.append(0)
                f(X)
                depth.pop()
            return self.value < other.value

    def untraced(x):
        items = sorted([Sorted(2.0), Sorted(1.0)])
        return x * items[0].value

    f = srcgrad.trace(untraced)
    for _ in range(3):
        assert plain(f(X)) == plain(X * 1.0)
    assert depth == []


def test_generators_that_are_left_halfway():
    def steps(x):
        for k in range(5):
            x = x * 0.5
            yield x * k

    kept = []

    def f(x):
        iterator = steps(x)
        next(iterator)
        kept.append(iterator)
        return next(iterator) * 2.0

    traced = srcgrad.trace(f)
    for _ in range(3):
        np.testing.assert_allclose(traced(X), X * 0.5)
    np.testing.assert_allclose(next(kept[0]), X * 0.25)
