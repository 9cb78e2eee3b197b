"""What Values are called: the first name by the user, and none that comes too late."""

import numpy as np

from srcgrad.steps import Value
from srcgrad.tracing.graphs.value_names import ValueNames


def scalars(count):
    return [Value((), np.dtype(float)) for _ in range(count)]


def test_a_name_gives_way_to_the_users_and_no_other():
    names, (x, y, z) = ValueNames(), scalars(3)
    names.give_input(x, "params_0", is_place=True)
    names.give_input(y, "W", is_place=False)
    for value, name in ((x, "b"), (x, "c"), (y, "V")):
        names.give(value, name)
    assert [names.of(value) for value in (x, y, z)] == ["b", "W", None]


def test_a_value_in_use_keeps_the_name_that_it_has():
    names, (x, y) = ValueNames(), scalars(2)
    names.give(x, "x")
    names.settle()
    names.keep([y])
    names.give(y, "y")
    names.hint(x, "too_late")
    names.settle()
    assert (x.name, x.hint, y.name) == ("x", None, None)


def test_a_constant_has_the_first_name_of_its_array():
    names, (value,) = ValueNames(), scalars(1)
    array = np.ones(3)
    names.note_constant(array, "mask")
    names.note_constant(array, "same")
    names.give_constant(value, array)
    assert names.named(value).name == "mask"
