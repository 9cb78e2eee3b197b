import numpy as np
import pytest

from srcgrad.transforms.sparsity import Pattern, full
from srcgrad.transforms.sparsity.colouring import colours_of, crowding


def coloured(matrix):
    pattern = Pattern.of(*np.nonzero(matrix), *matrix.shape)
    return colours_of(pattern, pattern.transposed())


@pytest.mark.seeds(10)
def test_rows_of_one_colour_share_no_column(seed):
    rng = np.random.default_rng(seed)
    matrix = rng.random((12, 9)) < rng.choice([0.1, 0.3, 0.8])
    colours = coloured(matrix)
    for colour in range(colours.max() + 1):
        assert matrix[colours == colour].sum(axis=0).max() <= 1


@pytest.mark.parametrize("width", [1, 2, 3, 7])
def test_a_band_needs_as_many_as_it_is_wide(width):
    i, j = np.indices((30, 30 + width - 1))
    assert coloured((i <= j) & (j < i + width)).max() + 1 == width


def test_rows_that_all_meet_have_one_each():
    pattern = full(6, 2)
    assert colours_of(pattern, pattern.transposed()).tolist() == list(range(6))
    assert crowding(pattern.transposed()) == 6


def test_empty_rows_cost_nothing():
    assert coloured(np.zeros((4, 3), bool)).tolist() == [0, 0, 0, 0]
