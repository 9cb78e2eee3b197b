"""Rules of functions that arrange elements anew: every sample, ties, refusals."""

import math

import numpy as np
import pytest

from tests.rules.gradients import backward, gradient

# ----- Order -----


def test_equal_elements_keep_their_order():
    g = [1.0, 2.0, 3.0]
    assert gradient(np.sort, [1.0, 0.0, 1.0], g) == [2.0, 1.0, 3.0]


def test_not_a_number_stands_last():
    assert gradient(np.sort, [math.nan, 1.0], [1.0, 2.0]) == [2.0, 1.0]


def test_orders_of_one_axis_are_all_the_same():
    for order in "CFAK":
        assert gradient(lambda x, order=order: x.ravel(order), [1.0]) == [1.0]


# ----- Refusals -----


WIDE = np.ones((2, 3))
REFUSED = [
    (lambda x: np.reshape(x, (3, 2), order="A"), WIDE, "order='A'.*use order='C'"),
]


@pytest.mark.parametrize(("function", "value", "message"), REFUSED)
def test_a_rule_says_what_it_cannot_do(function, value, message):
    with pytest.raises(NotImplementedError, match=message):
        backward(function, value)
