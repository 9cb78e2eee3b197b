"""``float``, ``sum``, ``round``, ``isinstance`` where there are Variables."""

import numpy as np

from srcgrad import Variable
from srcgrad.modes import override
from srcgrad.tracing.own_array import OwnArray
from srcgrad.tracing.python_numbers import is_followed, item, rounded, to_list, total
from srcgrad.tracing.replacements import replacement_of
from srcgrad.tracing.traced_array import TracedArray
from tests.tracing.test_replacements import D, F, V, as_variable


def test_numbers_stay_in_the_graph_in_transforms_and_of_stand_ins():
    x = as_variable(D)
    assert not is_followed(x)
    assert is_followed(TracedArray.make(D, None))
    with override(depth=1):
        assert is_followed(x)
        assert item(x).requires_grad
        assert [each.requires_grad for each in to_list(as_variable(V))] == [True] * 3
    assert item(x) == 2.5


def test_sums_of_floats_are_pythons():
    numbers = [F, *[0.1] * 9]
    assert total(map(as_variable, numbers)).value == sum(numbers)
    assert total(iter([1, 2]), 3) == 6


def test_a_rounded_number_is_an_integer():
    with override(depth=1):
        assert rounded(as_variable(F)) == 1
        assert type(rounded(as_variable(D))) is int


def test_in_a_transform_a_type_is_that_of_the_array():
    assert replacement_of(type)(as_variable(D)) is Variable
    with override(depth=1):
        assert replacement_of(type)(as_variable(D)) is np.float64
    assert replacement_of(type)(OwnArray(V)) is np.ndarray
    assert replacement_of(type)("Name", (), {}).__name__ == "Name"


def test_numbers_of_the_users_own_variables_leave_the_graph():
    x = Variable(V, requires_grad=True)
    assert replacement_of(float)(x[0]) == 0.5
    assert type(replacement_of(float)(x[0])) is float
