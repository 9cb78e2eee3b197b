"""What stands for arrays and numbers while a function is traced."""

import numpy as np
import pytest

from srcgrad import Variable
from srcgrad.tracing.environment.stand_ins import stand_in
from srcgrad.tracing.refusal import Refusal


def test_a_variable_stands_for_itself():
    variable = Variable(np.ones(2))
    assert stand_in(variable, {}) is variable


def test_arrays_are_told_apart_though_they_are_one():
    x, seen = np.ones(2), {}
    first, second = stand_in(x, seen), stand_in(x, seen)
    assert first.value is x
    assert second.value is not x
    assert second.value.base is x
    assert stand_in(x, {id(x): x}).value is not x


@pytest.mark.parametrize("raw", [np.ones(2), np.float64(1.0)])
def test_a_variable_on_the_same_array_is_told_apart(raw):
    variable = Variable.make(raw, (object(), 0))
    other = stand_in(variable, {id(raw): Variable(raw)})
    assert other.value is not raw
    assert other.edge is variable.edge
    assert other.storage is variable.own_storage()
    np.testing.assert_array_equal(other.value, raw)


@pytest.mark.parametrize("number", [1.0, np.float32(2.0), np.int64(3)])
def test_numbers_are_objects_of_their_own(number):
    found = stand_in(number, {}).value
    assert type(found) is type(number)
    assert found == number
    assert found is not number


def test_arrays_of_objects_are_refused():
    with pytest.raises(Refusal, match="dtype object"):
        stand_in(np.array([None]), {})
