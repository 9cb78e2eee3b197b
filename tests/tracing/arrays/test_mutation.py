import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from srcgrad.tracing.arrays import mutation
from srcgrad.tracing.arrays.functional_array import FunctionalArray
from srcgrad.tracing.arrays.mutation import assigned

X = np.array([0.6, -1.0, 2.0])


def test_assigned_is_the_content_after_a_write():
    own = FunctionalArray(np.zeros(2))
    content = assigned(own, 0, Variable(X, requires_grad=True)[0])
    assert content.value.tolist() == [0.6, 0.0]
    assert own.content.tolist() == [0.0, 0.0]


def filled(x):
    out = np.zeros((100, 3))
    for k in range(100):
        out[k] = k * x
    return np.sum(out**2)


def read_by_name(x):
    out = np.ones((100, 3))
    for k in range(99):
        row = out[k]
        out[k + 1] = np.sin(row) * x
        out[k] = 0.5 * row
    return np.sum(out**2)


def updated(x):
    u = np.zeros(100)
    for _ in range(40):
        u[1:-1] += 0.01 * (u[2:] - u[:-2]) * u[1:-1]
        u[:3] += 0.1 * x
    return np.sum(u**2)


@pytest.mark.parametrize("function", [filled, read_by_name, updated])
def test_a_recording_copies_no_array_that_only_the_function_sees(function, monkeypatch):
    monkeypatch.setattr(mutation, "MOST_HELD", 3_000)
    ours = srcgrad.value_and_grad(function)
    for _ in range(3):
        (value, g), (expected, right) = ours(X), ours.untraced((X,), {})
        np.testing.assert_allclose(value, expected)
        np.testing.assert_allclose(g, right)
    assert "1 compiled" in ours.explain()


def test_a_recording_does_not_keep_too_much(monkeypatch):
    """Each write of what lies in the array itself keeps what was there before."""

    def shifted(x):
        out = np.zeros((100, 3))
        for k in range(100):
            out[1:] = out[:-1]
            out[0] = int(k) * x  # which is another function in each iteration
        return np.sum(out**2)

    monkeypatch.setattr(mutation, "MOST_HELD", 100_000)
    ours = srcgrad.grad(shifted)
    for _ in range(3):
        np.testing.assert_allclose(ours(X), 2.0 * X * np.sum(np.arange(100) ** 2))
    assert "append to a list" in ours.explain()
