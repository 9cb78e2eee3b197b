"""Undoing and redoing broadcasting."""

import numpy as np
import pytest

from srcgrad.rules.broadcasting import (
    along,
    expand_reduced,
    kept_shape,
    reduced_axes,
    reduced_size,
    reshaped,
    unbroadcast,
)

SHAPES = [
    ((3,), (4, 3)),
    ((4, 1), (4, 3)),
    ((), (2, 3)),
    ((1, 1), (4, 3)),
    ((2, 1, 3), (5, 2, 4, 3)),
    ((1, 3), (0, 3)),
    ((2, 3), (2, 3)),
]


@pytest.mark.parametrize(("shape", "wide"), SHAPES)
def test_unbroadcast_is_the_transpose_of_broadcasting(shape, wide):
    rng = np.random.default_rng(0)
    x, g = rng.normal(size=shape), rng.normal(size=wide)
    back = unbroadcast(g, shape)
    assert back.shape == shape
    np.testing.assert_allclose(np.sum(back * x), np.sum(g * np.broadcast_to(x, wide)))


def test_what_was_not_broadcast_stays_the_same_array():
    g = np.ones((2, 3))
    assert unbroadcast(g, (2, 3)) is g
    assert reshaped(g, (2, 3)) is g
    assert reshaped(g, (6,)).shape == (6,)


@pytest.mark.parametrize("axis", [None, 0, -1, 1, (0, 2), (-1, 0), ()])
def test_reductions(axis):
    x = np.ones((2, 3, 4))
    kept, lost = np.sum(x, axis=axis, keepdims=True), np.sum(x, axis=axis)
    assert kept_shape(x.shape, axis) == kept.shape
    assert expand_reduced(lost, x.shape, axis).shape == kept.shape
    assert expand_reduced(kept, x.shape, axis, keepdims=True) is kept
    assert reduced_size(x.shape, axis) == kept.flat[0]
    assert np.sum(x, axis=reduced_axes(3, axis)).shape == lost.shape
    assert all(0 <= each < 3 for each in reduced_axes(3, axis))


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_picking_along_an_axis(axis):
    x = np.arange(24).reshape(2, 3, 4)
    np.testing.assert_array_equal(x[along(axis, 1)], np.take(x, 1, axis))
