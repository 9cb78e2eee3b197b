"""Rules of functions that arrange elements anew: every sample, ties, refusals."""

import math

import numpy as np
import pytest

from tests.rules.gradients import backward, gradient
from tests.rules.suite import RuleSuite
from tests.samples.shapes import SAMPLES


class TestSamples(RuleSuite):
    samples = SAMPLES


# ----- Order -----


def test_equal_elements_keep_their_order():
    g = [1.0, 2.0, 3.0]
    assert gradient(np.sort, [1.0, 0.0, 1.0], g) == [2.0, 1.0, 3.0]


def test_not_a_number_stands_last():
    assert gradient(np.sort, [math.nan, 1.0], [1.0, 2.0]) == [2.0, 1.0]


def test_orders_of_one_axis_are_all_the_same():
    for order in "CFAK":
        assert gradient(lambda x, order=order: x.ravel(order), [1.0]) == [1.0]


# ----- Padding -----


def test_pad_widths_by_axis():
    def pad(x):
        return np.pad(x, {-1: (1, 2)}, mode="edge")

    if np.lib.NumpyVersion(np.__version__) < "2.4.0":
        pytest.skip("NumPy takes a dict from 2.4 on")
    assert gradient(pad, [[1.0, 2.0]]) == [[2.0, 3.0]]


def test_what_padding_leaves_empty_has_no_gradient():
    assert gradient(lambda x: np.pad(x, 1, mode="empty"), [1.0, 2.0]) == [1.0, 1.0]


# ----- Refusals -----


WIDE = np.ones((2, 3))
REFUSED = [
    (lambda x: np.reshape(x, (3, 2), order="A"), WIDE, "order='A'.*use order='C'"),
    (lambda x: np.pad(x, 1, mode="mean"), WIDE, "mode='mean'"),
    (lambda x: np.pad(x, 1, "reflect", reflect_type="odd"), WIDE, "type='odd'"),
    (lambda x: np.pad(x, 1, constant_values=x), (1.0, 2.0), "one constant value"),
]


@pytest.mark.parametrize(("function", "value", "message"), REFUSED)
def test_a_rule_says_what_it_cannot_do(function, value, message):
    with pytest.raises(NotImplementedError, match=message):
        backward(function, value)
