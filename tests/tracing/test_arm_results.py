"""What comes of two arms is one thing, whichever ran; or `explain()` says why not."""

import numpy as np
import pytest

import srcgrad


def keeps(x, n):
    y = x * 2.0
    if np.sum(x) > n:
        y = y * n
    return y


def makes_a_constant(x, n):
    y = np.zeros(3)
    if np.sum(x) > n:
        y = y + x
    return y * n


def is_flat_in_one_arm(x, n):
    y = np.floor(x)
    if np.sum(x) > n:
        y = x * n
    return y * 1.0


def gives_another_shape(x, n):
    y = x * n
    if np.sum(x) > n:
        y = np.append(y, 2.0)
    return np.sum(y)


def gives_a_part(x, n):
    y = x * n
    if np.sum(x) > n:
        y = np.flip(y)
    return np.sum(y * x)


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (keeps, ""),
        (makes_a_constant, ""),
        (is_flat_in_one_arm, ""),
        (gives_another_shape, "`y` is float64[3] or float64[4], by arm"),
        (gives_a_part, "`y` is a part of another array, in one arm"),
    ],
)
def test_arrays_of_two_arms(function, why):
    traced = srcgrad.trace(function)
    gradient, on_tape = (
        srcgrad.grad(lambda x, n: np.sum(function(x, n)), argnums=(0, 1))
        for _ in range(2)
    )
    rng = np.random.default_rng(0)
    for _ in range(8):
        x, n = rng.normal(size=3), rng.normal()
        np.testing.assert_allclose(traced(x, n), function(x, n), rtol=1e-12)
        slopes = gradient(x, n)
        with srcgrad.set_stance("tape"):
            for mine, tapes in zip(slopes, on_tape(x, n), strict=True):
                np.testing.assert_allclose(mine, tapes, rtol=1e-10)
    assert why in traced.explain()
    assert (traced.stats.traces == 1) == (not why)
