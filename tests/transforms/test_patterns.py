"""What a rewriting rule may stand for, and when it pays."""

import numpy as np
import pytest

from srcgrad.transforms.algebra import simplify_algebra
from srcgrad.transforms.patterns import is_moderate, is_number
from tests.transforms.interpret import record

rng = np.random.default_rng(0)
x = rng.normal(size=(2, 3))


def test_what_has_other_users_is_not_computed_twice():
    def function(x):
        double = x * 2.0
        return [double * 3.0, np.exp(double)]

    graph = record(function, [x])
    assert simplify_algebra(graph) is graph


def test_numbers_stay_in_the_range_of_their_dtype():
    """The same factors are moderate for float64, and not for float32."""
    graph = record(lambda x: [np.exp(x * 1e-9 * 1e8)], [x])
    assert len(simplify_algebra(graph).nodes) == 2
    graph = record(lambda x: [np.exp(x * 1e-9 * 1e8)], [x.astype(np.float32)])
    assert simplify_algebra(graph) is graph


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
