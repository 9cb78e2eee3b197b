"""What a function to differentiate returns."""

import numpy as np
import pytest

from srcgrad.functional.results import differentiable_leaves, value_of


def test_a_value_and_aux():
    assert value_of((1.0, "anything")) == 1.0
    for result in (1.0, (1.0,), [1.0, 2.0]):
        with pytest.raises(TypeError, match=r"must return \(value, aux\)"):
            value_of(result)


def test_leaves_with_derivatives():
    assert differentiable_leaves({"a": 1.0, "b": (None, 2j)}, "jvp") == [1.0, 2j]
    for value in (1, True, "text", np.arange(3), object()):
        with pytest.raises(TypeError, match=r"jvp: .* has_aux=True"):
            differentiable_leaves((1.0, value), "jvp")
