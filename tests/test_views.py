"""Which indices make views, and how an array lies in memory."""

import numpy as np
import pytest

from srcgrad.steps import Value
from srcgrad.views import is_basic, layout_of


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        (1, True),
        (np.int64(1), True),
        (slice(1, None), True),
        ((0, ..., None, slice(2)), True),
        ((), True),
        ([0, 1], False),
        (np.array(1), False),
        (np.array([True]), False),
        (True, False),
        (np.True_, False),
        ((slice(None), [0]), False),
    ],
)
def test_basic_indices_make_views(index, expected):
    assert is_basic(index) is expected
    x = np.ones((2, 3))
    if expected and x[index].ndim:
        assert np.shares_memory(x[index], x)


def test_a_value_that_is_an_integer_is_as_good_as_one():
    whole = np.dtype(int)
    assert is_basic((slice(None), Value((), whole, None, "scalar")))
    assert not is_basic(Value((), whole, None, "array"))
    assert not is_basic(Value((), np.dtype(bool), None, "scalar"))


def test_layouts():
    rows = np.zeros((2, 3))
    assert [layout_of(each) for each in (rows, rows.T, rows[:, ::2])] == [
        *("C", "F"),
        (24, 16),
    ]
