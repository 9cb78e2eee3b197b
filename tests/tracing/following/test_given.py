"""What functions that are not followed are given: numbers for their stand-ins."""

import numpy as np
import pytest

from srcgrad import Variable
from srcgrad.tracing.arrays.functional_array import FunctionalArray, let_out
from srcgrad.tracing.arrays.python_numbers import item
from srcgrad.tracing.arrays.replacements import replacement_of
from srcgrad.tracing.following.given import with_contents, with_numbers

X = Variable(np.array([1.5, 2.5]), requires_grad=True)


def seen(*args, **kwargs):
    return args, kwargs


def test_arrays_of_the_callers_are_given_as_they_are():
    ((array,), _) = with_contents(seen, let_out)(FunctionalArray(np.ones(2)))
    assert type(array) is np.ndarray


def test_numbers_are_given_for_their_stand_ins_in_containers_too():
    a, b = item(X[0]), item(X[1])
    found = with_numbers(seen)(a, [b, (a, "b")], key={"c": a})
    assert found == ((1.5, [2.5, (1.5, "b")]), {"key": {"c": 1.5}})
    assert type(found[0][1][1][0]) is float


def test_what_holds_none_is_given_as_it_is():
    items, named = [1.0, [2.0]], {"a": (3.0,)}
    ((first, second), _) = with_numbers(seen)(items, named)
    assert first is items
    assert second is named


def test_a_list_that_is_changed_holds_the_stand_ins_in_the_new_order():
    a, b = item(X[1]), item(X[0])
    items = [a, 2.0, b]
    with_numbers(list.sort)(items)
    assert items[0] is b
    assert items[2] is a


def test_a_number_that_nobody_has_asked_for_is_lost_with_a_warning():
    number = replacement_of(float)(X[0])
    with pytest.warns(RuntimeWarning, match="its gradient is lost"):
        with_numbers(seen)(number)
