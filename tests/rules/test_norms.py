"""Rules for norms: every sample, and what holds at zero and where elements tie."""

import math

import numpy as np
import pytest

from tests.rules.gradients import gradient
from tests.rules.suite import RuleSuite
from tests.samples.norms import SAMPLES


class TestSamples(RuleSuite):
    samples = SAMPLES


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
