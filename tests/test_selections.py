"""What masks select, and by which masks."""

import operator
from dataclasses import replace

import numpy as np
import pytest

from srcgrad.selections import (
    has_several,
    is_selection,
    masks_of,
    may_change,
    selected_shape,
    selections_in,
)
from srcgrad.steps import Guard, Node, Value

X = Value((5,), np.dtype(float))


def mask(over: object) -> Node:
    return Node(np.greater, (X, over), out=Value((5,), np.dtype(bool)))


def part(chosen: Node) -> Node:
    args = X, chosen.results[0]
    return Node(operator.getitem, args, out=Value((3,), np.dtype(float)))


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [(0.0, 0.0, True), (0.0, 1.0, False), (0.0, -0.0, False), (1, True, False)],
    ids=str,
)
def test_masks_that_are_computed_alike_are_one(one, other, is_same):
    masks = mask(one), mask(other)
    parts = tuple(map(part, masks))
    found = masks_of([*masks, *parts])
    first, second = (found[each.results[0]] for each in parts)
    assert (first is second) == is_same


def test_a_selection_is_by_a_mask_alone_and_of_more_than_one():
    chosen = mask(0.0).results[0]
    assert is_selection(operator.getitem, (X, chosen), np.ones(2))
    assert not is_selection(operator.getitem, (X, chosen), np.ones(1))
    assert not is_selection(operator.getitem, (X, slice(2)), np.ones(2))
    assert not is_selection(np.take, (X, chosen), np.ones(2))


def test_guards_tell_what_python_has_not_seen_the_count_of():
    value = part(mask(0.0)).results[0]
    guard = Guard(value, selected_shape, (3,))
    assert selections_in([guard, Guard(X, np.shape, (5,))]) == [value]
    again = replace(guard, convert=has_several, observed=True)
    assert selections_in([again]) == []
    assert may_change(again)
    assert may_change(guard)
    assert not may_change(Guard(X, np.shape, (5,)))
