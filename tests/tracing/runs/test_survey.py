"""`explain()` tells all that keeps a function on the tape, not only the first."""

import os
import time

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.refusal import Refusal
from srcgrad.tracing.runs.survey import UNSEEN

calls = []


def helper(x):
    class Local:
        pass

    async def never():
        pass

    return x


def unknown():
    calls.append(1)
    return globals()


def slow(x, out):
    start = time.perf_counter()
    y = np.sum(x**2) * os.getpid()
    z = helper(x) + unknown()["calls"]
    y = y + start
    out[0] = 3.0
    return y, z, eval("x")


def test_all_at_once_with_line_and_advice():
    traced = srcgrad.trace(slow)
    for _ in range(3):
        calls.clear()
        traced(np.ones(2), np.zeros(1))
        assert calls == [1]  # nothing happens twice
    found = traced.explain(as_dict=True)["on_the_tape"]
    parts = (
        *("perf_counter", "getpid", "defines a class", "is async", "globals"),
        "changes one of its arguments",
    )
    assert len(found) == len(parts)
    for each, part in zip(found, parts, strict=True):
        assert part in each["reason"]
        assert "test_survey.py:" in each["reason"]
        assert each["instead"]


class Table(dict):
    pass


def stores_in_it(x):
    table = Table(a=1.0)
    table["b"] = x
    return x


def adds_to_it(x):
    table = Table(a=1.0)
    table["a"] += 1.0
    return x * table["a"]


def deletes_of_it(x):
    table = Table(a=1.0)
    del table["a"]
    return x


def keeps_it(x):
    calls.append(Table(a=1.0))
    return x


def returns_it(x):
    return x, Table(a=1.0)


@pytest.mark.parametrize(
    "function", [stores_in_it, adds_to_it, deletes_of_it, keeps_it, returns_it]
)
def test_what_is_done_with_what_was_refused_is_no_reason_of_its_own(function):
    traced = srcgrad.trace(function)
    for _ in range(2):
        traced(np.ones(2))
    (found,) = traced.explain(as_dict=True)["on_the_tape"]
    assert "calls `Table`, which is not known to be pure" in found["reason"]


def endless(x, flags):
    flags["on"] = True
    while not flags.get("off"):
        flags["off"] = True
    return x * time.time()


def test_it_ends_at_a_change_that_is_not_followed():
    traced = srcgrad.trace(endless)
    for _ in range(3):
        traced(1.0, {})
    (found,) = traced.explain(as_dict=True)["on_the_tape"]
    assert "changes one of its arguments" in found["reason"]


def waiting(x):
    items = vars(np)
    while True:
        items = next(items)


def given(x, items):
    return x * time.time() * sum(items)


def test_it_ends_where_only_an_error_would_end_it():
    traced = srcgrad.trace(waiting)
    for _ in range(2):
        with pytest.raises(TypeError):
            traced(1.0)


def test_an_iterator_that_is_given_is_not_used_up():
    traced = srcgrad.trace(given)
    for _ in range(3):
        assert traced(1.0, iter([1.0, 2.0])) > 0


def test_what_is_unknown_decides_nothing():
    assert (UNSEEN + 1) is (2 * UNSEEN.x[0](3)) is (UNSEEN < 1) is UNSEEN
    for look in (bool, list, float, int, len):
        with pytest.raises(Refusal):
            look(UNSEEN)
