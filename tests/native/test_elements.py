"""What is computed number by number, and how many bits whole numbers have."""

import operator

import numpy as np
import pytest

from srcgrad.native.elements import (
    Bits,
    UnsupportedError,
    check_dtypes,
    is_elementwise,
    reduction_of,
)
from srcgrad.steps import Node, Value

X = Value((4, 5), np.dtype(float))
OUT = Value((4, 5), np.dtype(float))


@pytest.mark.parametrize(
    ("function", "args", "kwargs", "found"),
    [
        (np.exp, (X,), {}, True),
        (np.exp, (X,), {"where": True}, False),
        (np.where, (X, X, X), {}, True),
        (np.where, (X,), {}, False),
        (np.sort, (X,), {}, False),
        (operator.mul, (X, 2.0), {}, True),
    ],
)
def test_elementwise(function, args, kwargs, found):
    assert is_elementwise(Node(function, args, kwargs, OUT)) is found


@pytest.mark.parametrize(
    ("function", "args", "kwargs", "found"),
    [
        (np.sum, (X,), {}, (np.add, (0, 1), False)),
        (np.sum, (X, -1), {}, (np.add, (1,), False)),
        (np.max, (X,), {"axis": 0, "keepdims": True}, (np.maximum, (0,), True)),
        (np.sum, (X,), {"where": True}, None),
        (np.sum, (X,), {"dtype": np.dtype(np.float32)}, None),
        (np.prod, (X,), {}, None),
        (np.exp, (X,), {}, None),
    ],
)
def test_reductions(function, args, kwargs, found):
    assert reduction_of(Node(function, args, kwargs, OUT)) == found


@pytest.mark.parametrize("dtype", [np.float32, complex, np.int32, object])
def test_other_dtypes_are_numpys(dtype):
    with pytest.raises(UnsupportedError, match="left to NumPy"):
        check_dtypes([Value((), np.dtype(dtype))])


def whole():
    return Value((), np.dtype(np.int64), kind="float")


def test_indices_add_up_and_multiply_while_they_fit():
    bits, i = Bits(), whole()
    bits.index(i)
    first = Node(operator.mul, (i, 1000), out=whole())
    bits.take(first)
    bits.take(Node(operator.add, (first.out, i), out=whole()))
    with pytest.raises(UnsupportedError, match="more than machine code has"):
        bits.take(Node(operator.mul, (first.out, i), out=whole()))


@pytest.mark.parametrize("function", [operator.add, operator.mul, operator.mod])
def test_a_whole_number_of_unknown_size_is_pythons(function):
    with pytest.raises(UnsupportedError, match="whole number"):
        Bits().take(Node(function, (whole(), 3), out=whole()))
