"""What copies of SciPy's functions call: of Variables, and of arrays as NumPy's."""

import math

import numpy as np
import pytest

from srcgrad.rules.scipy import arrays_in_sources as within
from srcgrad.rules.scipy.arrays_in_sources import MATH, NUMPY, At
from srcgrad.tape.variable import Variable
from tests.variables import variable


def raw(item):
    return getattr(item, "data", item)


@pytest.mark.parametrize("wrap", [variable, np.array])
def test_arrays(wrap):
    x = wrap([1.0, 2.0, 3.0])
    for found, expected in (
        (NUMPY.asarray([x[0], [2.0][0]]), [1.0, 2.0]),
        (NUMPY.array(x, ndmin=2), [[1.0, 2.0, 3.0]]),
        (NUMPY.hstack([x[0], x]), [1.0, 1.0, 2.0, 3.0]),
        (NUMPY.r_[0.5, x, 1:3], [0.5, 1.0, 2.0, 3.0, 1.0, 2.0]),
        (NUMPY.full(2, x[1]), [2.0, 2.0]),
        (NUMPY.sum([x[0], x[1]]), 3.0),
        (NUMPY.apply_along_axis(lambda row: row[:2], 0, x[:, None]), [[1.0], [2.0]]),
        (At(x)[0].set(5.0), [5.0, 2.0, 3.0]),
        (At(x, 1).add(5.0), [1.0, 7.0, 3.0]),
        (within.apply_where(x > 1.5, (x,), np.log, np.exp), None),
    ):
        if expected is not None:
            np.testing.assert_array_equal(raw(found), expected)
    assert isinstance(x, NUMPY.ndarray)


def test_numbers():
    x = Variable(np.float32(2.0), requires_grad=True)
    assert within.number(float)(x).dtype == np.float64
    assert within.number(complex)(x).dtype == np.complex128
    assert within.number(float)("1.5") == 1.5
    assert within.typed(np.float64, x).requires_grad
    assert NUMPY.isscalar(x)
    assert MATH.sqrt(x).requires_grad
    assert (MATH.sqrt(2.0), MATH.pi) == (math.sqrt(2.0), math.pi)


def test_writing():
    x = np.array([3.0, 1.0, 2.0])
    assert within.in_order(x) is x
    np.testing.assert_array_equal(x, [1.0, 2.0, 3.0])
    assert within.updated(x, 0, 4.0) is x
    found = within.updated(x, 1, variable(5.0))
    np.testing.assert_array_equal(found.data, [4.0, 5.0, 3.0])
    small = Variable(np.ones(2, np.float32), requires_grad=True)
    assert within.augmented("add", small, np.ones(2)).dtype == np.float32
    assert within.augmented("add", [1], [2]) == [1, 2]
    for name, given in (("_place", [0.0]), ("_putmask", 0.0)):
        found = within.HELPERS[name](
            variable([1.0, 2.0]), np.array([True, False]), given
        )
        np.testing.assert_array_equal(found.data, [0.0, 2.0])
    assert within.copied_to(x, 1.0).tolist() == [1.0, 1.0, 1.0]


def test_divisions_of_some_elements():
    a, b = variable([1.0, 2.0, 3.0]), np.array([2.0, 0.0, 4.0])
    found = within.divided(a, b, np.full(3, 9.0), b != 0)
    np.testing.assert_array_equal(found.data, [0.5, 9.0, 0.75])
    found.sum().backward()
    np.testing.assert_array_equal(a.grad.data, [0.5, 0.0, 0.25])
    out = np.zeros(3)
    assert within.divided(a.data, b, out, b != 0) is out
