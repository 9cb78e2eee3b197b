"""Items that are taken of iterators from outside; programs: corpus/iterators.txt."""

import math
import re

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.outside.iterators import Ended, next_of, put_back, take_next


def test_what_was_taken_in_vain_comes_next_in_order():
    numbers, taken = iter(range(5)), []
    assert [take_next(numbers, taken), take_next(numbers, taken)] == [0, 1]
    for iterator, item in reversed(taken):
        put_back(iterator, item)
    assert [next_of(numbers) for _ in range(4)] == [0, 1, 2, 3]
    assert next(numbers) == 4  # nothing waits


def test_an_error_comes_again():
    def feed():
        yield 1.0
        raise OSError("no file")

    numbers = feed()
    next(numbers)
    with pytest.raises(Ended):
        take_next(numbers, [])
    with pytest.raises(OSError, match="no file"):
        next_of(numbers)
    with pytest.raises(StopIteration):
        next_of(numbers)


def test_a_generator_of_batches_is_an_input():
    data = np.arange(12.0).reshape(6, 2)

    def batches():
        while True:
            yield from (data[k : k + 2] for k in (0, 2, 4))

    stream, same = batches(), batches()

    @srcgrad.trace
    def loss(w):
        return np.sum((next(stream) @ w) ** 2)

    gradient = srcgrad.grad(loss)
    for k in range(7):
        w, batch = np.array([1.0, k]), next(same)
        np.testing.assert_allclose(gradient(w), 2.0 * batch.T @ (batch @ w))
    assert loss.stats.compiled == 6
    assert "input: next(stream)" in loss.explain()


def squares(x):
    for v in x:
        yield v * v


def of_generator(x):
    return np.sum(np.fromiter(squares(x), dtype=float) * x)


def of_so_many(x):
    left = squares(x)
    return np.fromiter(left, float, count=2) @ [1.0, 2.0] + next(left)


def of_map(x):
    a = np.fromiter(map(math.exp, x), np.float64, len(x))
    a[0] = x[1]
    return np.sum(a * a) + sum(map(math.sin, x))


@pytest.mark.parametrize("function", [of_generator, of_so_many, of_map])
def test_arrays_of_iterators_compile(function):
    traced, gradient = srcgrad.trace(function), srcgrad.grad(function)
    for k in range(4):
        x = np.array([0.5, 1.2, 2.0]) * (1 + 0.1 * k)
        assert type(traced(x)) is type(function(x))
        np.testing.assert_allclose(traced(x), function(x), rtol=1e-14)
        slopes = [function(x + h) - function(x - h) for h in 1e-6 * np.eye(3)]
        np.testing.assert_allclose(gradient(x), np.divide(slopes, 2e-6), rtol=1e-5)
    assert traced.stats.compiled == 7, traced.explain()


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.fromiter(squares(x), float, 5),
        lambda x: np.fromiter(squares(np.outer(x, x)), float),
    ],
)
def test_arrays_of_iterators_raise_numpys_errors(function):
    with pytest.raises((TypeError, ValueError)) as expected:
        function(np.ones(3))
    for call in (srcgrad.trace(function), srcgrad.grad(lambda x: sum(function(x)))):
        for _ in range(2):
            with pytest.raises(expected.type, match=re.escape(str(expected.value))):
                call(np.ones(3))
