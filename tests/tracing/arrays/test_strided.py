"""``as_strided`` in followed functions: the same memory, read and written to."""

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import srcgrad


def written_through(x):
    h = np.zeros(5, x.dtype)
    odd = as_strided(h, (2, 2), (h.itemsize, 2 * h.itemsize))
    odd[0] = x[:2]
    odd[1, 1] = x[3]
    h[1] += x[2]
    return odd * h[0], h * np.arange(5)


def by_parts(x):
    z = np.zeros(2, np.result_type(x.dtype, np.complex64))
    z.view(x.dtype)[::2] = 7.0
    z[1] = x[0] * 1j
    return np.abs(z.view(x.dtype)) * x[1]


def of_numbers(x):
    z = np.zeros(2, complex)
    z.view(float)[1:] = [1.0, 2.0, 3.0]
    return np.abs(z) * x[:2]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("function", [written_through, by_parts, of_numbers])
def test_views_of_own_arrays(function, dtype):
    traced = srcgrad.trace(function)
    for shift in (0.0, 0.0, 1.0):
        x = np.arange(1.0, 5.0, dtype=dtype) + np.asarray(shift, dtype)
        expected, found = function(x), traced(srcgrad.Variable(x, requires_grad=True))
        if not isinstance(found, tuple):
            expected, found = [expected], [found]
        for ours, numpys in zip(found, expected, strict=True):
            np.testing.assert_array_equal(ours.data, numpys)
            assert ours.dtype == numpys.dtype


def test_gradients_go_through_the_memory():
    def loss(x):
        return sum(np.sum(each**2) for each in written_through(x))

    assert srcgrad.gradcheck(srcgrad.trace(loss), (np.arange(1.0, 5.0),))


def test_memory_that_is_elsewhere_is_refused():
    def loss(x):
        h = np.zeros(3)
        h[:] = x
        return np.sum(as_strided(h, (2, 2), (8, 8)))

    with pytest.raises(TypeError, match=r"as_strided\(np\.copy"):
        srcgrad.grad(loss)(np.ones(3))
