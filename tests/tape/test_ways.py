"""What the fast path and the recorded one leave to NumPy, or to Python."""

import itertools
import operator

import numpy as np
import pytest

import srcgrad
from srcgrad.tape.ways import is_result

SCALARS = (np.float64(2.0), np.float32(2.0), np.complex128(2.0), np.int64(2))
ARITHMETIC = ("add", "sub", "mul", "truediv", "pow")


@pytest.mark.parametrize("name", ARITHMETIC)
def test_python_s_numbers_beside_numpy_s_give_their_own_kinds(name):
    own = getattr(operator, name)
    for pair in itertools.product((2.0, 2j, 3, True), SCALARS):
        for a, b in (pair, pair[::-1]):
            traced, expected = srcgrad.trace(lambda x, y: own(x, y)), own(a, b)
            for _ in range(3):
                found = traced(a, b)
                assert (type(found), found) == (type(expected), expected), (a, b)


def test_an_array_of_objects_is_no_result_as_it_is():
    assert all(map(is_result, (np.ones(2), np.float32(1.0), 1.0)))
    assert not any(map(is_result, (np.array([1.0], object), [1.0])))
