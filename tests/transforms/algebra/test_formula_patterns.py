"""Formulas taken apart, and which numbers may stand in one."""

import numpy as np
import pytest

from srcgrad.transforms.algebra.formula_patterns import (
    is_moderate,
    is_number,
    pattern_of,
)


def test_a_formula_is_taken_apart():
    pattern, letters = pattern_of(lambda x, a: 2.0 / (x * a))
    assert letters == ("x", "a")
    two, product = pattern.args
    assert (pattern.ufunc, two) == (np.divide, 2.0)
    assert (product.ufunc, product.args) == (np.multiply, ("x", "a"))
    assert product.commutes
    assert not pattern.commutes


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        *((2, True), (2.5, True), (np.float32(2.0), True), (np.int8(2), True)),
        *((True, False), (np.True_, False), (2j, False), (np.ones(1), False)),
        *((None, False), ("2", False)),
    ],
)
def test_numbers_are_real_and_stand_in_the_program(item, expected):
    assert is_number(item) is expected


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_of_moderate_numbers_stay_in_range(dtype):
    limits = np.finfo(dtype)
    bound = float(limits.max) ** 0.125
    for number in (1.0, -bound * 0.99, 1.01 / bound, 96):
        assert is_moderate(number, np.dtype(dtype))
        assert np.isfinite(dtype(number) ** 4)
        assert dtype(number) ** 4 > limits.tiny
    for number in (0.0, bound * 1.01, -0.99 / bound, np.inf, np.nan):
        assert not is_moderate(number, np.dtype(dtype))
