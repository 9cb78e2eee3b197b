"""What a loop changes while a part of it is still read: the part is copied."""

import numpy as np
import pytest

import srcgrad

POINT = np.array([0.1, -0.2, 0.3])


def simulated(p):
    """Each row is made of the one before."""
    out = np.zeros((60, 3))
    out[0] = 1.0
    for k in range(59):
        slope = np.sin(p * out[k])
        out[k + 1] = out[k] + 0.25 * (slope + np.cos(p * (out[k] + 0.5 * slope)))
    return np.sum(out[:, 2] * out[:, 0])


def in_two_arrays(p):
    x, v = np.zeros((60, 3)), np.zeros((60, 3))
    x[0] = p
    for k in range(1, 60):
        v[k] = 0.9 * v[k - 1] - 0.1 * np.sin(x[k - 1])
        x[k] = x[k - 1] + 0.1 * v[k]
        x[k, 0] += v[k, 1]
    return np.sum(x * v)


def over_itself(p):
    """A part is read, changed, and read again."""
    h = np.zeros((4, 3))
    h[0] = p
    total = 0.0
    for k in range(40):
        row = h[k % 4]
        h[(k + 1) % 4] = np.tanh(row) + 0.1
        h[k % 4] = row * 0.5
        total = total + np.sum(row * h[k % 4])
    return total


@pytest.mark.parametrize("function", [simulated, in_two_arrays, over_itself])
def test_programs_are_what_they_are_on_the_tape(function):
    ours = srcgrad.value_and_grad(function)
    for point in (POINT, POINT, 3.0 * POINT, POINT):
        found = ours(point)
        with srcgrad.set_stance("tape"):
            expected = ours(point)
        for mine, tapes in zip(found, expected, strict=True):
            np.testing.assert_allclose(mine, tapes, rtol=1e-10)
    assert ours.explain().count("compiled, ")


def test_the_whole_array_is_not_copied_in_each_iteration():
    ours = srcgrad.value_and_grad(simulated)
    for _ in range(2):
        ours(POINT)
    back = ours.source().split("in zip(")[1]
    assert "np.copy(" in back
    assert ".copy()" not in back
