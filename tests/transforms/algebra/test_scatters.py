"""Sums of scattered cotangents."""

import numpy as np
import pytest

import srcgrad
from srcgrad.transforms.algebra.scatters import are_apart

INDICES = [
    *(0, -1, np.int64(2), np.s_[:], np.s_[1:3], np.s_[3:], np.s_[::-2], np.s_[5:9]),
    *(np.s_[0, 1:], np.s_[-1, :2], np.s_[1:, 2], np.s_[..., 0], np.s_[None, 1]),
    *(np.s_[2:2], True, np.array([0, 3]), np.s_[:2, np.array([0, 1])]),
]


@pytest.mark.parametrize("index", INDICES, ids=repr)
def test_what_is_apart_selects_different_elements(index):
    for other in INDICES:
        counts = np.zeros((4, 3), int)
        counts[index] += 1
        counts[other] += 1
        assert counts.max(initial=0) < 2 or not are_apart(index, other, (4, 3))
    assert are_apart(0, np.s_[1:3], (4, 3))
    assert are_apart(np.s_[:, 0], np.s_[2:, -1], (4, 3))


def test_parts_of_zeros_are_put_down():
    def taken_apart(z):
        a, b, c = z[:2], z[2:4], z[4:6]  # not all of it
        return np.sum(a * b * np.tanh(c)) + a[0] * a[1]

    ours = srcgrad.grad(srcgrad.trace(taken_apart))
    z = np.array([0.5, -1.0, 2.0, 3.0, 0.1, 0.2, 0.3])
    for _ in range(2):
        np.testing.assert_allclose(ours(z), srcgrad.grad(taken_apart)(z))
    assert "dz[2:4] = " in ours.source()


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sum((x[1:] - x[:-1] ** 2) ** 2 + x[:-1]),
        lambda x: np.sum(x * x[::-1]) + x[0] * x[-1],
        lambda x: np.sum(x[np.array([0, 0, 1])] * x[:3]) + np.sum(np.exp(x)),
    ],
    ids=["differences", "reversed", "repeats"],
)
def test_gradients_are_added_in_place(function):
    traced = srcgrad.trace(function)
    x = np.array([0.5, -1.0, 2.0, 3.0])
    expected = srcgrad.grad(function)(x)
    for _ in range(2):
        np.testing.assert_allclose(srcgrad.grad(traced)(x), expected)
    assert traced.stats.compiled == 1
    assert "+=" in traced.source() or "add.at" in traced.source()


# ----- Where zero was put before -----

x, v = np.arange(1.0, 7.0).reshape(2, 3), np.array([3.0, -1.0, 2.0])
