"""``srcgrad.grad`` and ``value_and_grad``: what they take, give, and refuse."""

import math

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from tests.tracing.comparing import both

X = np.array([2.0, 1.0])


@both(lambda x: math.sin(x[0]))
def test_a_number_taken_out_is_no_silent_zero(f):
    for _ in range(3):
        with pytest.warns(RuntimeWarning, match=r"math\.sin\(x\[0\]\).*np functions"):
            gradient = srcgrad.grad(f)(X)
        np.testing.assert_array_equal(gradient, [0.0, 0.0])


@both(lambda x: np.sum(x) * float(x[0]))
def test_a_number_beside_a_gradient_is_the_users_business(f):
    for _ in range(3):
        np.testing.assert_array_equal(srcgrad.grad(f)(X), [2.0, 2.0])


@both(lambda x: 1.0)
def test_a_constant_has_gradient_zero(f):
    for _ in range(3):
        assert srcgrad.value_and_grad(f)(X)[0] == 1.0
        np.testing.assert_array_equal(srcgrad.grad(f)(X), [0.0, 0.0])


def in_a_buffer(x):
    out = np.zeros(2)
    out[0] = x[0] ** 2
    return np.sum(out * x)


@pytest.mark.parametrize("f", [in_a_buffer, srcgrad.trace(in_a_buffer)])
def test_an_element_of_an_ndarray_loses_no_gradient_silently(f):
    for _ in range(3):
        with pytest.raises((TypeError, ValueError)):
            srcgrad.grad(f)(X)


@pytest.mark.parametrize("kind", [np.matrix, np.ma.MaskedArray])
@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_arrays_that_compute_in_another_way_are_refused(kind):
    array = np.array([[1.0, 2.0]]).view(kind)
    for f in (lambda x: np.sum(x * x), srcgrad.trace(lambda x: np.sum(x * x))):
        with pytest.raises(TypeError, match=r"plain ndarrays.*np\.asarray"):
            srcgrad.grad(f)(array)
    v = Variable(np.ones(array.shape), requires_grad=True)
    with pytest.raises(TypeError, match=r"plain ndarrays.*np\.asarray"):
        v * array


@pytest.mark.parametrize("argnums", ["b", ("a", "b"), 1.0, [0.0]])
def test_argnums_are_numbers(argnums):
    with pytest.raises(
        TypeError, match=r"argnums is an int or a sequence of ints|iter"
    ):
        srcgrad.grad(lambda a, b: a * b, argnums=argnums)
