"""Derivatives in the structure and of the kinds of what they belong to."""

import numpy as np
import pytest

import srcgrad
from srcgrad.functional.forms import Form, split

x = np.array([1.0, 2.0])


def test_derivatives_are_packed_as_their_arguments():
    trees = (1j, {"a": x, "b": (2.0, None)}, np.float32(1.0))
    packed = [*split([2j, None, 3, 4.0], [Form.of(tree) for tree in trees])]
    assert packed[0] == 2j
    assert list(packed[1]) == ["a", "b"]
    np.testing.assert_array_equal(packed[1]["a"], np.zeros(2))
    assert packed[1]["b"] == (3.0, None)
    assert type(packed[1]["b"][0]) is float
    assert type(packed[2]) is np.float32


KINDS = [2.0, 2j, np.float32(1.0), np.array(1.0), np.ones((2, 1), np.float32)]


@pytest.mark.parametrize("leaf", KINDS, ids=repr)
def test_zeros_are_of_the_same_kind(leaf):
    (zeros,) = split([None], [Form.of(leaf)])
    assert type(zeros) is type(leaf)
    np.testing.assert_array_equal(zeros, np.zeros(np.shape(leaf)), strict=False)
    assert np.result_type(zeros) == np.result_type(leaf)


def test_none_has_no_derivative():
    assert Form.of(None).filled([]) is None
    assert Form.of((None, [])).filled([]) == (None, [])


def test_a_variable_gets_one():
    v = srcgrad.Variable(x)
    assert type(Form.of(v).filled([None])) is srcgrad.Variable
    assert Form.of(v).filled([v]) is v
