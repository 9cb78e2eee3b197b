"""Rules for ``np.linalg``: every sample, norms at zero, equal eigenvalues, refusals."""

import math

import numpy as np
import pytest

from tests.rules.gradients import backward, gradient
from tests.rules.suite import RuleSuite
from tests.samples.linalg import SAMPLES


class TestSamples(RuleSuite):
    samples = SAMPLES


# ----- Norms -----


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


# ----- Equal values -----


def test_what_does_not_depend_on_the_choice_of_eigenvectors():
    def itself(x):
        values, vectors = np.linalg.eigh(x)
        return (vectors * values) @ vectors.T

    g = [[1.0, 2.0], [4.0, 3.0]]
    found = gradient(itself, [[2.0, 0.0], [0.0, 2.0]], g)
    # The values' part of it; a symmetric matrix has no more freedom than this.
    assert np.all(np.isfinite(found))
    assert np.trace(found) == pytest.approx(4.0)


def test_the_singular_values_of_a_zero_matrix():
    found = gradient(lambda x: np.sum(np.linalg.svd(x)[1]), [[0.0, 0.0]] * 2)
    assert np.all(np.isfinite(found))


# ----- Refusals -----


SQUARE, WIDE = np.eye(3) + 0.1, np.ones((2, 3))
REFUSED = [
    (lambda x: np.linalg.qr(x, "r"), SQUARE, "mode='r'"),
    (np.linalg.qr, WIDE, r"shape \(2, 3\)"),
    (np.linalg.svd, WIDE, "pass full_matrices=False"),
]


@pytest.mark.parametrize(("function", "value", "message"), REFUSED)
def test_a_rule_says_what_it_cannot_do(function, value, message):
    with pytest.raises(NotImplementedError, match=message):
        backward(function, value)
