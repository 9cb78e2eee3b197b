"""A call is taken apart like the one that a function was made for, or not at all."""

import itertools
from typing import NamedTuple

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.environment.signature import Signature
from srcgrad.tracing.serving.unpacking import unpacking_of


class Pair(NamedTuple):
    x: object
    y: object


class Model:
    def __init__(self, rate):
        self.rate = rate


ONES = np.ones(3)
LEAF = srcgrad.Variable(ONES, requires_grad=True)

CALLS = [
    ((ONES,), {}),
    ((ONES[:2],), {}),
    ((np.ones(3, np.float32),), {}),
    ((np.ones(3, ">f8"),), {}),
    ((1.0,), {}),
    ((1,), {}),
    ((2,), {}),
    ((True,), {}),
    ((None,), {}),
    (("a",), {}),
    ((np.float64(1.0),), {}),
    ((np.float32(1.0),), {}),
    (((ONES, 1.0),), {}),
    (([ONES, 1.0],), {}),
    (((ONES, (1.0,)),), {}),
    ((ONES, 1.0), {}),
    ((ONES,), {"y": 1.0}),
    ((ONES,), {"z": 1.0}),
    (({"w": ONES, "b": 1.0},), {}),
    (({"b": 1.0, "w": ONES},), {}),
    (({"w": ONES},), {}),
    (({},), {}),
    (((),), {}),
    (([],), {}),
    ((Model(1.0),), {}),
    ((ONES, {"p": [Model(2.0), None, "a"]}), {"axis": 0}),
    ((LEAF,), {}),
    ((2.0 * LEAF,), {}),
    ((srcgrad.Variable(ONES),), {}),
    ((srcgrad.Variable(ONES, volatile=True),), {}),
    ((srcgrad.Variable(ONES[:2], requires_grad=True),), {}),
    ((srcgrad.Variable(np.ones(3, ">f8")),), {}),
    ((LEAF.sum(),), {}),
    ((LEAF.detach().sum(),), {}),
    ((LEAF, 3.0 * LEAF), {}),
    ((LEAF, srcgrad.Variable(np.ones(3), requires_grad=True)), {}),
    (({"w": LEAF, "b": 2.0 * LEAF},), {"p": [LEAF * x for x in range(9)]}),
]

# Of these an unpacking knows only that they are others.
SHARED = [
    ((LEAF, LEAF), {}),
    ((LEAF, LEAF.detach()), {}),
    (({"w": LEAF, "b": LEAF},), {"p": [LEAF * x for x in range(9)]}),
]


def test_it_tells_calls_apart_as_their_signatures_do():
    pairs = itertools.product(CALLS, [*CALLS, *SHARED])
    for (args, kwargs), (others, other_kwargs) in pairs:
        take = unpacking_of(args, kwargs, ()).take()
        there = Signature(others, other_kwargs)
        found = take(others, other_kwargs, ())
        assert (found is not None) == (Signature(args, kwargs).key == there.key)
        if found is not None:
            assert all(a is b for a, b in zip(found, there.leaves, strict=True))


class Text(str):
    __slots__ = ()

    def __repr__(self):
        return "ran.append(1)"


@pytest.mark.parametrize("name", ["int or ran.append(1) or int", "a\nb", '"""'])
def test_no_text_of_the_users_is_code(name):
    model = type("Model", (), {})()
    type(model).__name__ = name
    take = unpacking_of((ONES, model), {"k": "ran.append(1)"}, ()).take()
    assert take((ONES, model), {"k": "ran.append(1)"}, ()) is not None
    assert take((ONES, ONES), {"k": "ran.append(1)"}, ()) is None
    assert unpacking_of((ONES,), {Text("k"): 1.0}, ()) is None


def test_integers_of_any_length():
    size = 10**6000  # more digits than Python writes
    take = unpacking_of((ONES, size), {}, ()).take()
    assert take((ONES, 10**6000), {}, ()) is not None
    assert take((ONES, size + 1), {}, ()) is None


@pytest.mark.parametrize("leaf", [Pair(1.0, 2.0), {1: 2.0}, 1j, [LEAF, LEAF]])
def test_of_other_kinds_there_is_none(leaf):
    assert unpacking_of((leaf,), {}, ()) is None


def test_a_call_like_the_last_makes_no_signature(monkeypatch):
    def loss(p):
        return np.sum(p["w"] ** 2)

    slope = srcgrad.grad(loss)
    for _ in range(3):
        slope({"w": ONES})
    monkeypatch.setattr("srcgrad.tracing.traced.Signature", None)
    np.testing.assert_array_equal(slope({"w": 3 * ONES})["w"], 6 * ONES)


def test_what_is_forgotten_is_not_used():
    def loss(x):
        return np.sum(x**2)

    loss = srcgrad.trace(loss)
    slope = srcgrad.grad(loss)
    for _ in range(3):
        slope(ONES)
    loss.clear()
    slope(ONES)
    assert loss.stats.compiled == 0
