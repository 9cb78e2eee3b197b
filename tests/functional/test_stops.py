"""``stop_gradient``: the same values, and no gradient."""

import numpy as np

import srcgrad
from tests.tracing.comparing import both

X = np.array([1.0, 2.0])


@both(lambda x: np.sum(srcgrad.stop_gradient(x * x) * x))
def test_no_gradient_flows(f):
    for _ in range(3):
        value, g = srcgrad.value_and_grad(f)(X)
        assert value == np.sum(X**3)
        np.testing.assert_array_equal(g, X * X)
        np.testing.assert_array_equal(srcgrad.jvp(f, (X,), (X,))[1], np.sum(X**3))


def test_containers_and_kinds():
    found = srcgrad.stop_gradient({"a": (X, 1.0), "b": None})
    assert found["a"][0] is X
    assert (found["a"][1], found["b"]) == (1.0, None)
    assert srcgrad.grad(lambda x: x * srcgrad.stop_gradient([x])[0])(3.0) == 3.0
    v = srcgrad.Variable(X, requires_grad=True)
    assert not srcgrad.stop_gradient(v).requires_grad
