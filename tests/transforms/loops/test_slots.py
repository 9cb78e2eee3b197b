"""Where that comes from which iterations do not have in common."""

import operator

import numpy as np
import pytest

from srcgrad.steps import Node, Value
from srcgrad.transforms.loops.iterations import Iteration
from srcgrad.transforms.loops.slots import MisfitError, Slots

F8 = np.dtype(float)
X = Value((9,), F8, "x")


def scalars(count):
    return [Value((), F8, "h", "scalar") for _ in range(count)]


def slots_of(pairs):
    return Slots([Iteration([Node(np.add, args, out=out)]) for args, out in pairs])


def test_carried_for_one_iteration():
    h = scalars(6)
    slots = slots_of([((h[k], X), h[k + 1]) for k in range(5)])
    assert slots.arguments == (h[0], X)
    assert slots.results([], {}) == [h[5]]


def test_carried_for_two():
    h = scalars(7)
    slots = slots_of([((h[k], h[k + 1]), h[k + 2]) for k in range(5)])
    assert [state.lag for state in slots.states.values()] == [1, 2]
    last, before = slots.results([], {})
    assert last is h[6]
    assert before is not h[5], "that is another result"


def test_a_number_is_carried_in_as_a_scalar():
    h = [0, *scalars(5)]
    slots = slots_of([((h[k], X), h[k + 1]) for k in range(5)])
    assert type(slots.arguments[0]) is np.float64


def test_floats_are_items():
    slots = slots_of([((X, 0.5**k), out) for k, out in enumerate(scalars(4))])
    assert slots.arguments == ((1.0, 0.5, 0.25, 0.125), X)


def test_equal_floats_are_constants():
    slots = slots_of([((X, 0.5), out) for out in scalars(4)])
    assert slots.arguments == (X,)


def indexed(places):
    return Slots(
        [
            Iteration([Node(operator.getitem, (X, place), out=out)])
            for place, out in zip(places, scalars(len(places)), strict=True)
        ]
    )


def test_places_in_order_are_indices():
    assert list(indexed([7, 5, 3, 1]).indices) == [(7, -2)]
    assert list(indexed([(k, None) for k in range(4)]).indices) == [(0, 1)]
    assert list(indexed([slice(k, k + 3) for k in range(4)]).indices) == [
        (0, 1),
        (3, 1),
    ]


def test_places_without_order():
    with pytest.raises(MisfitError):
        indexed([0, 1, 3, 4])


def test_what_a_certain_iteration_has_computed():
    h = scalars(5)
    pairs = [((X, X), h[0]), *(((h[0], X), h[k]) for k in range(1, 5))]
    with pytest.raises(MisfitError):
        slots_of(pairs)
    with pytest.raises(MisfitError):
        slots_of(pairs[1:2] + [((h[1], X), out) for out in scalars(4)])
