"""Where a zero that stands for nothing does harm, the tape's gradient is given."""

import warnings

import numpy as np
import pytest

import srcgrad


def of_loop(x, c):
    y, total = np.sqrt(x), 0.0
    for _ in range(6):
        total = total + y if c > 0.5 else total + c
        c = c + 0.01
    return total


CALLS = [(1.0, 1.0), (4.0, 0.2), (0.0, 0.2), (4.0, 1.0), (0.0, 0.48), (0.0, 1.0)]


def told(function, *args):
    """What a function gives, and the kinds of warnings."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        result = function(*args)
    return repr(result), [str(each.message) for each in found]


def test_of_a_transform():
    ours = srcgrad.value_and_grad(of_loop, argnums=(0, 1))
    for call in CALLS:
        args = [*map(np.float64, call)]
        with srcgrad.set_stance("tape"):
            expected = told(ours, *args)
        assert told(ours, *args) == expected
    assert "1 trace, 3 misses" in ours.explain()


@pytest.mark.parametrize("call", CALLS)
def test_of_a_walk_back_later(call):
    traced = srcgrad.trace(of_loop)

    def gradients(*args):
        x, c = (srcgrad.Variable(np.float64(arg), requires_grad=True) for arg in args)
        traced(x, c).backward()
        return x.grad, c.grad

    gradients(1.0, 1.0)
    with srcgrad.set_stance("tape"):
        expected = told(gradients, *call)
    assert told(gradients, *call) == expected
