"""Arrays of what loops have kept: their numbers, and their slopes."""

import numpy as np
import pytest

import srcgrad
from srcgrad.stacking import stacked_list

FIRST, LAST = np.array([1.0, 2.0]), np.array([0.5, -1.0])
SEVERAL = np.array([[3.0, 4.0], [5.0, 6.0], [7.0, 8.0]])


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("count", [0, 1, 3])
def test_items_lie_in_order(place, count):
    items = [FIRST, LAST]
    items.insert(place, SEVERAL[:count])
    found = stacked_list(tuple(items), 0, place)
    expected = [FIRST, LAST]
    expected[place:place] = SEVERAL[:count]
    np.testing.assert_array_equal(found, np.array(expected))


@pytest.mark.parametrize("place", [None, 0, 1, 2])
@pytest.mark.parametrize("order", [srcgrad.gradcheck, srcgrad.gradgradcheck])
def test_slopes(place, order):
    def function(first, last, several):
        items = [first, last]
        if place is not None:
            items.insert(place, several)
        return np.sin(stacked_list(tuple(items), 0, place)) * several[0]

    arrays = (FIRST, LAST, SEVERAL)
    given = [srcgrad.Variable(array.copy(), requires_grad=True) for array in arrays]
    assert order(function, given)
