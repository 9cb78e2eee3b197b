"""Transforms inside one another: what they leave on each other's tape."""

import numpy as np

import srcgrad

X = np.array([2.0, 1.0])


def test_an_inner_transform_closes_over_an_outer_argument():
    def outer(x, y):
        return np.sum(srcgrad.grad(lambda v: np.sum(v * v * y))(x))

    by_x, by_y = srcgrad.grad(outer, (0, 1))(X, 3.0 * X)
    np.testing.assert_array_equal(by_x, 6.0 * X)
    np.testing.assert_array_equal(by_y, 2.0 * X)
