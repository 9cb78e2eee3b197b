"""What is written into arrays of one's own reaches ufuncs' methods, and SciPy."""

import numpy as np
import pytest

import srcgrad


def test_what_is_added_at_one_place_is_rounded_as_numpy_rounds_it():
    def function(x, places):
        h = np.full(2, 0.1)
        np.add.at(h, places, x * 0.3)
        np.subtract.at(h, places, x)
        return h

    traced, places = srcgrad.trace(function), np.array([0, 0, 1, 0, 0])
    for seed in range(3):
        x = np.random.default_rng(seed).normal(size=5) ** 5
        np.testing.assert_array_equal(traced(x, places), function(x, places))
    assert traced.stats.compiled == 2


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.ndarray.sum(x, axis=0) + np.ndarray.dot(x, x),
        lambda x: np.ndarray.reshape(np.ndarray.copy(x), (3, 1))[1, 0] ** 2,
        lambda x: sum(map(np.ndarray.mean, [x, x * x])),
    ],
)
def test_methods_of_the_class_are_those_of_arrays(function):
    traced, gradient = srcgrad.trace(function), srcgrad.grad(function)
    x = np.array([0.5, 1.2, 2.0])
    slopes = [function(x + h) - function(x - h) for h in 1e-6 * np.eye(3)]
    for _ in range(3):
        np.testing.assert_allclose(traced(x), function(x), rtol=1e-14)
        np.testing.assert_allclose(gradient(x), np.divide(slopes, 2e-6), rtol=1e-6)
