"""Copies that a recorded function makes; most are in ``tests/corpus``."""

import copy

import numpy as np

import srcgrad


def test_in_a_transform_a_copy_is_one_of_an_array():
    def f(x):
        state = copy.deepcopy({"w": x * 2.0, "x": x, "s": np.sum(x)})
        state["w"][0] = 5.0
        shallow = copy.copy(state["x"])
        shallow[1] = 1.0
        return np.sum(state["w"] * state["x"]) * state["s"] + np.sum(shallow)

    x = np.array([1.0, 2.0])
    assert srcgrad.value_and_grad(f)(x)[0] == f(x)
    steps = 1e-6 * np.eye(2)
    expected = [(f(x + step) - f(x - step)) / 2e-6 for step in steps]
    np.testing.assert_allclose(srcgrad.grad(f)(x), expected, rtol=1e-6)
