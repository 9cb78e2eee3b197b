"""What a first user of the library stumbled over."""

import math
import sys

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable

X = np.array([2.0, 1.0])


def both(function):
    """The function untraced and traced."""
    return pytest.mark.parametrize(
        "f", [function, srcgrad.trace(function)], ids=["tape", "traced"]
    )


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


@both(lambda x: np.sum(7.0 / np.sum(x * -3.0) * X))
def test_signs_of_zero_sums(f):
    zeros = np.array([0.0, -0.0])
    with np.errstate(all="ignore"):
        for _ in range(3):
            assert srcgrad.value_and_grad(f)(zeros)[0] == f(zeros) == np.inf


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


def test_a_loss_can_be_formatted():
    loss = Variable(np.array([1.0, 2.0]), requires_grad=True).sum()
    assert f"{loss:.3f}" == "3.000"
    assert f"{loss}".startswith("Variable containing:")


@pytest.mark.parametrize("argnums", ["b", ("a", "b"), 1.0, [0.0]])
def test_argnums_are_numbers(argnums):
    with pytest.raises(
        TypeError, match=r"argnums is an int or a sequence of ints|iter"
    ):
        srcgrad.grad(lambda a, b: a * b, argnums=argnums)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 has no notes")
def test_an_error_in_generated_code_names_the_users_line():
    @srcgrad.trace
    def solved(a, b):
        y = np.linalg.solve(a, b)
        return np.sum(y)

    eye, zeros = np.eye(2), np.zeros((2, 2))
    solved(eye, np.ones(2))
    with pytest.raises(np.linalg.LinAlgError) as caught:
        solved(zeros, np.ones(2))
    assert solved.stats.calls == 2
    assert solved.stats.tape == 1
    told = " ".join(
        map(str, [*caught.value.args, *getattr(caught.value, "__notes__", ())])
    )
    assert "in generated code for test_fresh_eyes.py:" in told
    assert "y = np.linalg.solve(a, b)" in told


def test_explain_says_each_thing_once():
    @srcgrad.trace
    def halved(x):
        while np.sum(x) > 1.0:
            x = x / 2.0
        return np.sum(x)

    halved(np.full(3, 10.0))
    assert halved.explain().count("bool is True") == 1
    assert "(5 times)" in halved.explain()

    @srcgrad.trace
    def printing(x):
        print("", end="")
        return x

    for length in range(1, 5):
        printing(np.ones(length))
    assert printing.explain().count("on the tape:") == 1
