import numpy as np
import pytest

from srcgrad.transforms.sparsity import pattern as patterns
from srcgrad.transforms.sparsity.pattern import (
    DenseError,
    Pattern,
    dense,
    full,
    stacked,
    union,
)


def of(matrix):
    matrix = np.asarray(matrix)
    return Pattern.of(*np.nonzero(matrix), *matrix.shape)


def matrix_of(pattern):
    matrix = np.zeros((pattern.height, pattern.width), int)
    matrix[pattern.rows, pattern.columns] = 1
    assert matrix.sum() == len(pattern.columns)  # none is there twice
    return matrix


@pytest.fixture
def matrix():
    return np.random.default_rng(0).integers(0, 2, (4, 5))


def test_entries_in_any_order(matrix):
    rows, columns = np.nonzero(matrix)
    order = np.random.default_rng(1).permutation(len(rows))
    order = np.concatenate([order, order[:3]])
    found = Pattern.of(rows[order], columns[order], *matrix.shape)
    np.testing.assert_array_equal(matrix_of(found), matrix)


def test_rows_are_picked(matrix):
    numbers = [2, -1, 0, 2]
    expected = np.array([matrix[2], np.zeros(5, int), matrix[0], matrix[2]])
    np.testing.assert_array_equal(matrix_of(of(matrix).picked(numbers)), expected)


def test_rows_are_gathered(matrix):
    found = matrix_of(of(matrix).merged([1, 0, 1, 2], 3))
    expected = [matrix[1], matrix[0] | matrix[2], matrix[3]]
    np.testing.assert_array_equal(found, expected)


def test_transposed(matrix):
    np.testing.assert_array_equal(matrix_of(of(matrix).transposed()), matrix.T)


def test_union_and_stacked(matrix):
    other = np.roll(matrix, 1, axis=1)
    found = matrix_of(union([of(matrix), of(other)]))
    np.testing.assert_array_equal(found, matrix | other)
    below = matrix_of(stacked([of(matrix), of(other), of(matrix)]))
    np.testing.assert_array_equal(below, np.vstack([matrix, other, matrix]))


def test_dense_and_full(matrix):
    found = matrix_of(dense(of(matrix[:2]), 3))
    np.testing.assert_array_equal(found, [matrix[0] | matrix[1]] * 3)
    np.testing.assert_array_equal(matrix_of(full(2, 3)), np.ones((2, 3)))


def test_nothing_at_all():
    empty = Pattern.of([], [], 0, 0)
    assert empty.transposed().height == 0
    assert matrix_of(full(0, 3)).shape == (0, 3)


def test_too_many_entries_are_refused(monkeypatch):
    monkeypatch.setattr(patterns, "MOST_ENTRIES", 100)
    with pytest.raises(DenseError, match="not sparse"):
        full(100, 100)
    with pytest.raises(DenseError, match="not sparse"):
        dense(Pattern.identity(50), 50)
