"""Items that are taken of iterators from outside; programs: changing/iterators.txt."""

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.iterators import Ended, next_of, put_back, take_next


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
