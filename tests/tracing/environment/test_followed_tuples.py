"""Tuples of integers that change: what a function sees, how many traces it has."""

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.environment.changing_ints import FollowedInt
from srcgrad.tracing.environment.followed_tuples import FollowedTuple
from srcgrad.tracing.environment.references import Argument

X = np.array([0.5, -1.0, 2.0, 0.25, 1.5])


@pytest.mark.parametrize("item", [(1, 2, 3), ((1, 2), (3, 4)), ((1, (2, 3)),) * 2])
def test_each_integer_is_followed_in_its_place(item):
    own = FollowedTuple(item, Argument("t", 0), None)
    leaves = [*integers_in(own.seen)]
    assert {*map(type, leaves)} == {FollowedInt}
    found = [eval(leaf.reference.text, {"t": item}) for leaf in leaves]
    assert found == [leaf.concrete for leaf in leaves] == [*integers_in(item)]


def integers_in(item):
    if type(item) is tuple:
        for each in item:
            yield from integers_in(each)
    else:
        yield item


SHAPES = {
    "the same places": ((3, 1, 4, 1, 0), True),
    "another length": ((3, 1, 4, 1, 0, 2), False),
    "a float": ((3, 1, 4, 1, 0.0), False),
    "a truth": ((3, 1, 4, 1, True), False),
    "a large one": ((3, 1, 4, 1, 2**40), False),
    "a list": ([3, 1, 4, 1, 0], False),
    "a pair": ((3, 1, 4, 1, (0, 0)), False),
}
held = {"weights": (1, 2, 3, 4, 0)}


def weighted(x):
    weights = held["weights"]
    return weights[0] * x.sum() / (2.0 + weights[1])


@pytest.mark.parametrize("name", SHAPES)
def test_a_trace_is_for_all_integers_in_the_same_places(name, monkeypatch):
    last, is_same_trace = SHAPES[name]
    traced = srcgrad.trace(weighted)
    for weights in ((1, 2, 3, 4, 0), (2, 2, 3, 4, 0), (3, 0, 0, 1, 1)):
        monkeypatch.setitem(held, "weights", weights)
        np.testing.assert_allclose(traced(X), weighted(X), 1e-14)
    before = traced.stats.traces
    monkeypatch.setitem(held, "weights", last)
    np.testing.assert_allclose(traced(X), weighted(X), 1e-14)
    assert (traced.stats.traces == before) is is_same_trace
