"""What a function to differentiate returns."""

import numpy as np
import pytest

from srcgrad.functional.differentiated import are_close, differentiable_leaves, value_of


def test_a_value_and_aux():
    assert value_of((1.0, "anything")) == 1.0
    for result in (1.0, (1.0,), [1.0, 2.0]):
        with pytest.raises(TypeError, match=r"must return \(value, aux\)"):
            value_of(result)


def test_leaves_with_derivatives():
    assert differentiable_leaves({"a": 1.0, "b": (None, 2j)}, "jvp") == [1.0, 2j]
    for value in (1, True, "text", np.arange(3), object()):
        with pytest.raises(TypeError, match=r"(?s)jvp: .* has_aux=True"):
            differentiable_leaves((1.0, value), "jvp")


def test_close_is_up_to_rounding():
    x = np.array([1.0, 1e-9, np.inf, np.nan])
    assert are_close(x * (1.0 + 1e-15), x)
    assert are_close(np.arange(3), np.arange(3))
    for other in (x * (1.0 + 1e-9), x[:3], x.astype(np.float32), -x):
        assert not are_close(other, x)
    assert not are_close(np.arange(3), np.ones(3, int))
