"""Containers, and objects that hold others, as a traced function finds them outside."""

import functools
from collections import ChainMap, deque, namedtuple

import numpy as np
import pytest

from tests.tracing.comparing import X, same_through

Point = namedtuple("Point", "a b")
last = deque([1.0, 2.0])
options = ChainMap({"a": 2.0}, {"b": 3.0})
pair = 2.0, Point(np.array([1.0, 2.0, 3.0]), 4.0)
chosen = {1, 2}
part = slice(0, 2)
steps = range(3)
double = functools.partial(np.multiply, 2.0)
labels = np.array(["a", "b"])

PROGRAMS = {
    "deque": lambda x: x * last[0] + len(last),
    "chain": lambda x: x * options["a"] * options["b"],
    "tuple": lambda x: x * pair[0] * pair[1].a + pair[1].b,
    "set": lambda x: x * 2.0 if 1 in chosen else x,
    "slice": lambda x: x[part] * 2.0,
    "range": lambda x: x * len(steps) + sum(steps),
    "partial": lambda x: double(x),
    "labels": lambda x: x * 2.0 if labels[0] == "a" else x,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_held_is_found(name):
    same_through(PROGRAMS[name], *[lambda: (X,)] * 3, compiled=2)


def test_an_array_of_many_labels_is_not_compared_at_each_call():
    many = np.full(1 << 17, "a")
    same_through(
        lambda x: x * len(many), *[lambda: (X,)] * 2, refused="an array of dtype <U1"
    )
