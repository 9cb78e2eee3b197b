"""Functions that an algorithm calls: recorded, and taken out of the recording again."""

import numpy as np
import pytest
from scipy import optimize

import srcgrad
from srcgrad.tracing.algorithms.algorithm_callbacks import (
    Callback,
    Captured,
    MisfitError,
    is_like,
    kind_of,
)


def root_of(function, **options):
    return optimize.brentq(function, 0.0, 4.0, **options)


def many_ways(a):
    def residual(x):
        n = 0
        while n * 0.1 < x:
            n += 1
        return x * x - a + 0 * n

    return root_of(residual)


def long_loop(a):
    def residual(x):
        total = x
        for _ in range(200):
            total = total + 0.001 * np.sin(total)
        return total - a

    return root_of(residual)


def differentiates(a):
    return root_of(lambda x: srcgrad.grad(lambda y: y**3)(x) - a)


def stops_gradients(a):
    return root_of(lambda x: x * x - srcgrad.stop_gradient(a) * a)


def gives_a_set(a):
    return root_of(lambda x: max({float(x) - a, -10.0}))


def gets_an_integer(a):
    return root_of(lambda x, n: x**n - a, args=(2,))


@pytest.mark.parametrize(
    "function",
    [
        *(many_ways, long_loop, differentiates, stops_gradients, gives_a_set),
        gets_an_integer,
    ],
)
def test_the_same_as_untraced(function):
    traced = srcgrad.trace(function)
    for a in (1.5, 1.6, 1.7):
        np.testing.assert_allclose(traced(a), function(a), rtol=1e-13)
        found = srcgrad.value_and_grad(traced)(a)
        expected = srcgrad.value_and_grad(function).untraced((a,), {})
        np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_what_is_closed_records_no_more():
    callback = Callback("f", None, lambda x: x, None, Captured())
    callback.close()
    with pytest.raises(MisfitError, match="f goes a way that it did not go"):
        callback.bound([])(1.0)
    with pytest.raises(MisfitError):
        callback(1.0)
    with pytest.raises(MisfitError):
        callback.pull([1.0], [0], 1.0)


def test_kinds_tell_numbers_from_arrays():
    assert kind_of(1.0) is float
    assert kind_of(np.float64(1.0)) is np.float64
    assert kind_of(np.zeros(2)) == ((2,), np.dtype(float))
    assert is_like(np.ones(2), np.ones(2) + 1e-15)
    assert not is_like(1.0, np.float64(1.0))
    assert not is_like(1.0, 1.1)
