"""Axes, and what an index makes of them."""

import numpy as np

from srcgrad.steps import Value
from srcgrad.transforms.loops.equal_axes import is_number


def test_an_element_is_chosen_by_a_number():
    number, truth = Value((), np.dtype(int), kind="float"), Value((), np.dtype(bool))
    assert all(map(is_number, (1, -1, number, np.int64(2))))
    assert not any(map(is_number, (True, truth, slice(1), None, ..., np.arange(2))))
