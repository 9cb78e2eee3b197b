"""Arrays that are filled part by part."""

import numpy as np
import pytest

import srcgrad

x, y = np.arange(1.0, 7.0).reshape(2, 3), np.array([[3.0], [-0.0]])


def joined(x, y):
    return np.concatenate([np.sin(x), y], axis=-1)


def stacked(x, y):
    return np.stack([np.sin(x), x * y], axis=-1)


def parted(x, y):
    first, second = np.split(x, [1], axis=1)
    return np.concatenate([np.hstack([second, first]), np.exp(y) * x])


@pytest.mark.parametrize(
    ("function", "line"),
    [
        (joined, "out_dot = np.concatenate([x_dot * np.cos(x), y_dot], axis=1)"),
        (stacked, "np.stack([x_dot * np.cos(x), y_dot * x + x_dot * y], axis=2)"),
        (parted, "hstack_dot = np.concatenate([second_dot, first_dot], axis=1)"),
    ],
)
def test_derivatives_of_what_is_joined_are_joined(function, line):
    primals, tangents = (x, y), (x + 1.0, y - 2.0)
    expected = srcgrad.jvp(function, primals, tangents)[1]
    for _ in range(2):
        found = srcgrad.jvp(function, primals, tangents)[1]
        np.testing.assert_allclose(found, expected, rtol=1e-14)
    source = srcgrad.source(function)
    assert line in source
    assert "np.zeros" not in source
