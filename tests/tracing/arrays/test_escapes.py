import functools
import types

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.arrays.escapes import state_of
from srcgrad.tracing.arrays.functional_array import FunctionalArray


def closing_over(item):
    return lambda: item


def changed(item, change):
    """Whether a change of what a function closes over is seen."""
    function = closing_over(item)
    before = state_of(function)
    assert state_of(function) == before
    change(item)
    return state_of(function) != before


CHANGES = [
    ([1], lambda item: item.append(2)),
    ([[1]], lambda item: item[0].append(2)),
    ({"a": 1}, lambda item: item.update(a=2)),
    ({"a": 1}, lambda item: item.update(b=2)),
    ({1}, lambda item: item.add(2)),
    (np.zeros(2), lambda item: item.fill(1.0)),
    (FunctionalArray(np.zeros(2)), lambda item: item.__setitem__(0, 1.0)),
    (types.SimpleNamespace(a=1), lambda item: setattr(item, "a", 2)),
    (types.SimpleNamespace(a=[1]), lambda item: item.a.append(2)),
    (functools.partial(max, [1]), lambda item: item.args[0].append(2)),
]


@pytest.mark.parametrize(("item", "change"), CHANGES)
def test_a_change_is_seen(item, change):
    assert changed(item, change)


def test_a_name_that_is_bound_anew_is_seen():
    count = 0

    def increase():
        nonlocal count
        count += 1

    before = state_of(increase)
    increase()
    assert state_of(increase) != before


def test_a_circle_comes_to_an_end():
    item = []
    item.append(item)
    assert not changed(item, len)


def test_our_own_traces_are_no_change():
    gradient = srcgrad.grad(lambda x: x * x)
    assert not changed(gradient, lambda item: [item(2.0) for _ in range(3)])
