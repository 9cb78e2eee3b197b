"""A function with other values in it changes what a call of it would change."""

from collections import deque

import pytest

from srcgrad.scipy.refilling import Refilling
from tests.variables import variable


class Slots:
    __slots__ = ("calls", "k")


def of_list(k):
    item = [k, 0]

    def f():
        item[1] += 1
        item.append(item[0])

    return f, item


def of_dict(k):
    item = {"a": 1, "k": k, "gone": 0}

    def f():
        item.pop("gone", None)
        item["a"] = item.pop("a") + item["k"]

    return f, item


def of_deque(k):
    item = deque([k, 0, 1], maxlen=4)
    return lambda: (item.rotate(), item.append(2)), item


def of_cell(k):
    count = [0]

    def f():
        nonlocal k
        count[0] += 1
        k = k * 2.0

    def look():
        return k, count

    return f, look


def of_slots(k):
    item = Slots()
    item.k, item.calls = k, 1

    def f():
        item.k, before = item.k * 2.0, item.k
        del item.calls
        return before

    return f, item


def content(item, number):
    """What an item holds, with a number for the Variable."""
    if callable(item):
        item = item()
    if isinstance(item, Slots):
        item = {name: getattr(item, name, None) for name in item.__slots__}
    pairs = item.items() if isinstance(item, dict) else enumerate(item)
    return [(key, 3.0 if each is number else each) for key, each in pairs]


@pytest.mark.parametrize("make", [of_list, of_dict, of_deque, of_cell, of_slots])
def test_a_call_changes_what_it_would_have_changed(make):
    v = variable(7.0)
    (untraced, expected), (function, found) = make(3.0), make(v)
    for _ in range(2 if make is not of_slots else 1):
        refilling = Refilling(function, lambda variable: 3.0)
        untraced()
        refilling.function()
        refilling.settle()
        assert content(found, v) == content(expected, ...)
        if make is of_cell:  # no Variable is left in it
            break
