"""What ``zip`` and ``enumerate`` make of arrays of any length."""

import numpy as np

from srcgrad.tracing.counts.along import along
from srcgrad.tracing.counts.lengths import Lengths
from srcgrad.tracing.outside.places import Argument
from srcgrad.tracing.outside.reader import Outside

X, Y = np.arange(3.0), np.arange(3.0, 6.0)


def opened():
    lengths, outside = Lengths(id), Outside()
    for number, (name, array) in enumerate((("x", X), ("y", Y))):
        lengths.open(array, Argument(name, number), outside)
    return lengths, outside


def texts(outside):
    return [condition.text for condition in outside.conditions]


def test_who_takes_the_items_in_another_way_closes_the_lengths():
    lengths, outside = opened()
    pairs = along(lengths, enumerate, (along(lengths, zip, (X, Y), {}), 1), {})
    assert texts(outside) == ["`len(x)` and `len(y)` were equal"]
    assert list(pairs) == [(1, (0.0, 3.0)), (2, (1.0, 4.0)), (3, (2.0, 5.0))]
    assert texts(outside)[1:] == ["`len(x)` was 3", "`len(y)` was 3"]
    assert list(pairs) == []


def test_a_function_that_is_handed_on_may_know_all_of_them():
    lengths, outside = opened()
    lengths.close_in([2.0, [np.exp, float]])
    assert lengths.has([X, Y])
    lengths.close_in([{"key": lambda: len(X)}])
    assert texts(outside) == ["`len(x)` was 3", "`len(y)` was 3"]
    assert not lengths


def test_it_is_gone_along_once():
    lengths, _ = opened()
    pairs = along(lengths, zip, (X,), {})
    pairs.take()
    assert not pairs.is_new
    assert list(pairs) == []
    assert along(lengths, enumerate, (pairs,), {}) is None


def test_other_arrays_and_calls_are_none_of_ours():
    lengths, _ = opened()
    for function, args in (
        *((zip, (X, [1, 2])), (enumerate, (X, 1.5)), (zip, ()), (list, (X,))),
    ):
        assert along(lengths, function, args, {}) is None
