"""A matrix with a diagonal is what ``np.diag`` makes."""

import numpy as np
import pytest

import srcgrad


@pytest.mark.parametrize("dtype", [float, np.float32, complex, int])
@pytest.mark.parametrize(("length", "k"), [(4, 0), (3, 2), (3, -1), (1, 3), (0, 0)])
def test_matrices_are_those_of_diag(length, k, dtype):
    def function(x, v):
        D = np.diag(v, k) * 2
        return np.sum(np.abs(D)) + np.sum(np.abs(np.diag(x * x, k) @ D))

    ours = srcgrad.value_and_grad(function)
    for number in (1.0, 2.0, -3.0):
        args = np.linspace(0.5, number, length), np.arange(length).astype(dtype)
        (value, found), (expected, right) = ours(*args), ours.untraced(args, {})
        assert type(value) is type(expected)
        np.testing.assert_allclose(value, expected, 1e-14)
        np.testing.assert_allclose(found, right, 1e-14)
    lines = ours.source().splitlines()
    assert not any("np.diag(" in line for line in lines if "#" not in line)


def test_what_is_given_back_owns_its_memory():
    traced = srcgrad.trace(lambda x: np.diag(x * 2.0))
    for _ in range(3):
        found = traced(np.arange(3.0))
    assert found.base is None
    np.testing.assert_array_equal(found, np.diag([0.0, 2.0, 4.0]))
