"""Functions of Python's and NumPy's that a recorded function calls in a way of its own.

Each row of the table does what the function itself does, in a compiled call.
"""

import contextlib
import dataclasses
import functools
import random
import typing

import numpy as np
import pytest

from srcgrad.tracing.capture.own_ways import FUNCTIONS, NUMBER_HANDLERS, TABLED
from tests.tracing.comparing import X, same_through


@dataclasses.dataclass
class Pair:
    a: float
    b: float


class Node:
    def __init__(self, value):
        self.value = value


def kinds(x):
    node = Node(x)
    is_one = isinstance(node, Node) and type(node) is Node and isinstance(x, np.ndarray)
    return x * 2.0 if is_one and not isinstance(x, list) else x


def attributes(x):
    node = Node(x)
    setattr(node, "more", 2.0)  # noqa: B010
    found = getattr(node, "none", 3.0) if hasattr(node, "more") else 0.0
    return vars(node)["value"] * found * getattr(node, "more", 0.0)


def fields(x):
    pair = dataclasses.replace(Pair(1.0, 2.0), b=3.0)
    return x * dataclasses.asdict(pair)["b"] + dataclasses.astuple(pair)[0]


def numbers(x):
    small = min(x[0], x[1], 5.0) + max(1, 2) + sum([1.0, 2.0])
    return x * small + sorted([3, 1])[0] + float(len(x)) + round(2.6) + np.sqrt(4)


def python(x):
    rows = dict.fromkeys("ab", 1.0)
    double = functools.partial(np.multiply, 2.0)
    with contextlib.suppress(KeyError):
        return double(x) * typing.cast(float, rows["a"]) * next(iter([2.0, 3.0]))
    return x


def arrays(x):
    made = np.empty(3)
    made[:] = x
    return made + np.fromiter((k * 2.0 for k in range(3)), float)


def draws(x):
    np.random.seed(3)
    with np.errstate(divide="ignore"):
        return x * np.random.rand() + random.Random(1).random() / (x - 1.0)


PROGRAMS = [kinds, attributes, fields, numbers, python, arrays, draws]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda each: each.__name__)
def test_rows_do_what_the_functions_do(function):
    calls = [lambda k=k: (X * k,) for k in (1.0, 1.0, 2.0)]
    assert same_through(function, *calls).stats.compiled


def test_nothing_is_looked_up_that_is_the_users_own():
    assert {Node, Pair, kinds}.isdisjoint({*FUNCTIONS, *NUMBER_HANDLERS})
    assert type(Node(1.0)) not in TABLED
    assert all(type(each) in TABLED for each in (*FUNCTIONS, *NUMBER_HANDLERS))
