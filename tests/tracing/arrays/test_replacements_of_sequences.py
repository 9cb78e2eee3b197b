"""What NumPy takes for a list may have Variables in it: deques, named tuples."""

from collections import UserList, deque

import numpy as np
import pytest

import srcgrad


class Row(list):
    pass


@pytest.mark.parametrize("make", [deque, UserList, Row, tuple])
def test_of_mere_numbers_they_are_numpys(make):
    traced = srcgrad.trace(lambda x: np.array(make([1.0, 2.0])) * x)
    for x in (np.ones(2), np.arange(2.0)):
        np.testing.assert_array_equal(traced(x), np.array([1.0, 2.0]) * x)
