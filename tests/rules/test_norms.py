"""Rules for norms: every sample, and what holds at zero and where elements tie."""

import math

import numpy as np
import pytest

from tests.rules.gradients import gradient


@pytest.mark.parametrize("ord", [None, 2, 1, 0, math.inf, 3, 2.5])
def test_the_norm_of_a_zero_vector_has_the_slope_zero(ord):
    assert gradient(lambda x: np.linalg.norm(x, ord), [0.0, 0.0]) == [0.0, 0.0]


@pytest.mark.parametrize("ord", [None, "fro", "nuc", 2, -2, 1, -1, math.inf])
def test_the_norm_of_a_zero_matrix_has_the_slope_zero(ord):
    zeros = [[0.0, 0.0], [0.0, 0.0]]
    assert gradient(lambda x: np.linalg.norm(x, ord), zeros) == zeros


def test_the_largest_elements_share_the_slope_of_the_infinity_norm():
    x = [2.0, -2.0, 1.0]
    assert gradient(lambda x: np.linalg.norm(x, math.inf), x) == [0.5, -0.5, 0.0]
    assert gradient(lambda x: np.linalg.norm(x, -math.inf), x) == [0.0, 0.0, 1.0]


def test_a_norm_of_negative_order_is_flat_beside_a_zero():
    with np.errstate(divide="ignore"):  # as NumPy's own
        assert gradient(lambda x: np.linalg.norm(x, -1), [0.0, 2.0]) == [0.0, 0.0]


def test_the_norm_that_counts_has_the_slope_zero():
    assert gradient(lambda x: np.linalg.norm(x, 0), [1.0, 0.0, 3.0]) == [0.0] * 3


# ----- Extreme values -----


@pytest.mark.parametrize("ord", [None, 2, 3, 2.5])
@pytest.mark.parametrize("value", [[1e300, 1e300], [np.inf, 1.0], [np.nan, 1.0]])
def test_a_norm_that_has_overflowed_has_no_slope(ord, value):
    with np.errstate(all="ignore"):
        found = gradient(lambda x: np.linalg.norm(x, ord), value)
    assert np.all(np.isnan(found))


@pytest.mark.parametrize("ord", [1, math.inf, -math.inf, "nuc", 2])
def test_norms_that_do_not_overflow(ord):
    x = np.array([[1e300, 0.0], [0.0, 2e300]]) if ord in ("nuc", 2) else [1e300, 2e300]
    small = np.array(x) / 1e300
    found = gradient(lambda x: np.linalg.norm(x, ord), x)
    np.testing.assert_allclose(found, gradient(lambda x: np.linalg.norm(x, ord), small))


def test_the_condition_of_a_singular_matrix_has_no_slope():
    with np.errstate(all="ignore"):
        found = gradient(np.linalg.cond, [[1.0, 2.0], [2.0, 4.0]])
    assert not np.any(np.abs(found) < 1e15)
