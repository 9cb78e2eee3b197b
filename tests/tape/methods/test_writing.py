"""``add_``, ``exp_``, ``fill_`` and their kin."""

import numpy as np
import pytest

import srcgrad
from srcgrad import InplaceError
from tests.variables import variable

METHODS = {
    "add_": lambda y: y.add_(2.0),
    "sub_": lambda y: y.sub_(2.0),
    "mul_": lambda y: y.mul_(2.0),
    "div_": lambda y: y.div_(2.0),
    "neg_": lambda y: y.neg_(),
    "exp_": lambda y: y.exp_(),
    "sqrt_": lambda y: y.sqrt_(),
    "tanh_": lambda y: y.tanh_(),
    "clamp_": lambda y: y.clamp_(1.0, 3.0),
    "clip_": lambda y: y.clip_(max=2.0),
    "fill_": lambda y: y.fill_(2.0),
    "zero_": lambda y: y.zero_(),
    "copy_": lambda y: y.copy_([3.0, 4.0]),
}

OUT_OF_PLACE = {
    "add_": lambda x: x + 2.0,
    "sub_": lambda x: x - 2.0,
    "mul_": lambda x: x * 2.0,
    "div_": lambda x: x / 2.0,
    "neg_": lambda x: -x,
    "exp_": np.exp,
    "sqrt_": np.sqrt,
    "tanh_": np.tanh,
    "clamp_": lambda x: np.clip(x, 1.0, 3.0),
    "clip_": lambda x: np.clip(x, None, 2.0),
    "fill_": lambda x: x * 0.0 + 2.0,
    "zero_": lambda x: x * 0.0,
    "copy_": lambda x: x * 0.0 + np.array([3.0, 4.0]),
}


@pytest.mark.parametrize("name", METHODS)
def test_underscore_methods(name):
    x, same = variable([0.5, 2.5]), variable([0.5, 2.5])
    y = x * 1.0
    assert METHODS[name](y) is y
    assert y._version == 1
    expected = OUT_OF_PLACE[name](same)
    assert np.array_equal(y.data, expected.data)
    y.backward(np.array([1.0, 3.0]))
    expected.backward(np.array([1.0, 3.0]))
    assert np.allclose(x.grad.data, same.grad.data)


OVERWRITING = {
    "log_": lambda x: 1 / x,
    "pow_": lambda x: 2 * x,
    "abs_": np.sign,
    "sin_": np.cos,
    "reciprocal_": lambda x: -1 / x**2,  # its result is enough
}


@pytest.mark.parametrize("mode", ["copy", "error"])
@pytest.mark.parametrize("name", OVERWRITING)
def test_methods_that_overwrite_what_they_save(name, mode):
    x = variable([0.5, 2.5])
    y = x * 1.0
    with srcgrad.set_inplace(mode):
        getattr(y, name)(*([2.0] if name == "pow_" else []))
    if mode == "error" and name != "reciprocal_":
        with pytest.raises(InplaceError, match="modified by an inplace operation"):
            y.sum().backward()
        return
    y.sum().backward()
    assert np.allclose(x.grad.data, OVERWRITING[name](x.data))
