"""What is kept between a compiled call and its backward pass."""

import numpy as np
import pytest

import srcgrad
from tests.variables import vector


def trace_of(function, *args):
    traced = srcgrad.trace(function)
    for _ in range(2):
        traced(*args)
    return traced._cache.last[None][0].traces[0]


def test_leaves_have_gradients_and_versions():
    trace = trace_of(lambda x, n, y: np.sum(x * y) * n, vector(1.0), 2, np.ones(1))
    assert trace.gradients.leaves == (0,)
    assert trace.gradients.outputs == (0,)
    assert trace.versions.variables == (0,)
    assert trace.versions.saved == ()  # the product's gradient needs `y` alone


def test_what_is_saved_may_not_change():
    traced = srcgrad.trace(lambda x: np.sum(x * x))
    for _ in range(2):
        x = vector(1.0, 2.0)
        out = traced(x)
        with srcgrad.no_grad():
            x *= 2.0
        with pytest.raises(srcgrad.InplaceError):
            out.backward()
    trace = traced._cache.last[None][0].traces[0]
    assert trace.versions.saved == (0,)
    assert [len(buffers) for buffers in trace.versions.buffers] == [1]
