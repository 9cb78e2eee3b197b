"""Rules for products of vectors, matrices and tensors: every sample, refusals."""

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from srcgrad.checking import gradcheck


@pytest.mark.filterwarnings("ignore:Arrays of 2-dimensional vectors:DeprecationWarning")
@pytest.mark.parametrize(
    ("a_shape", "b_shape", "axisc"),
    [((2,), (2,), -1), ((3, 2), (2,), 0), ((2, 3), (2,), 0), ((2,), (2, 3), -1)],
)
def test_cross_products_of_vectors_in_the_plane(a_shape, b_shape, axisc):
    if np.lib.NumpyVersion(np.__version__) >= "2.5.0":
        pytest.skip("NumPy has none from 2.5 on")
    rng = np.random.default_rng(0)
    args = rng.normal(size=a_shape), rng.normal(size=b_shape)

    def cross(a, b):
        return np.cross(a, b, axisc=axisc)

    for function in (cross, srcgrad.trace(cross)):
        found = function(*(Variable(arg, requires_grad=True) for arg in args))
        np.testing.assert_array_equal(found.data, cross(*args))
    assert gradcheck(cross, args)


@pytest.mark.parametrize(
    "function",
    [np.matmul, np.dot, np.inner, np.kron, np.outer, np.convolve, np.append, np.add],
)
@pytest.mark.parametrize("other", [(1.0, 2.0), [np.array(1.0), 2.0]])
def test_tuples_and_lists_of_arrays_are_arrays(function, other):
    x = np.array([3.0, 5.0])
    for call in (lambda x: function(x, other), lambda x: function(np.array(other), x)):
        assert_same_as_numpys(call, x)


def assert_same_as_numpys(call, x):
    expected = call(x)
    for traced in (call, srcgrad.trace(call)):
        found = traced(Variable(x, requires_grad=True))
        np.testing.assert_array_equal(found.data, expected)
    assert gradcheck(call, (x,))
