"""Integers that a loop is given: what they are in the graph, and in Python."""

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.counts.loop_indices import MOST, LoopIndex, Numbers
from srcgrad.tracing.counts.loop_items import ComputedItem, LoopItem, Within
from srcgrad.tracing.environment.changing_ints import LARGEST, FollowedInt
from srcgrad.tracing.environment.references import Argument

SEEN = []


class Reads:
    """Who is told that Python depends on an integer of the environment."""

    def pin(self, reference, value):
        SEEN.append(reference.text)


@pytest.fixture
def item():
    SEEN.clear()
    at = LoopIndex(Numbers(None, None, lambda: SEEN.append("loop")), 0, 0, 1)
    return LoopItem(3, Within(-2, 7), at, None, lambda: SEEN.append("item"))


@pytest.mark.parametrize(
    ("compute", "value", "bounds"),
    [
        (lambda n: n + 2, 5, (0, 9)),
        (lambda n: 2 - n, -1, (-5, 4)),
        (lambda n: n - n, 0, (-9, 9)),
        (lambda n: n * -3, -9, (-21, 6)),
        (lambda n: n * n, 9, (-14, 49)),
        (lambda n: n**2, 9, (-14, 49)),
        (lambda n: n % 4, 3, (0, 3)),
        (lambda n: n // 2, 1, (-1, 3)),
        (lambda n: -n, -3, (-7, 2)),
        (lambda n: (n + 1) * 2 % 5, 3, (0, 4)),
    ],
)
def test_what_is_computed_of_one_is_one(item, compute, value, bounds):
    found = compute(item)
    assert type(found) is ComputedItem
    assert (found.concrete, found.bounds) == (value, Within(*bounds))
    assert SEEN == []


@pytest.mark.parametrize(
    ("look", "value"),
    [
        (lambda n: n == 3, True),
        (lambda n: {3: "a"}[n], "a"),
        (lambda n: f"{n:>3}", "  3"),
        (lambda n: [0, 1, 2, 4][n], 4),
        (lambda n: n % -4, -1),
        (lambda n: n // 0.5, 6.0),
        (lambda n: n**3, 27),
        (lambda n: 2**n, 8),
        (lambda n: n << 1, 6),
        (lambda n: n * 2**60, 3 * 2**60),
        (lambda n: divmod(n, 2), (1, 1)),
        (bool, True),
        (int, 3),
        (hash, 3),
    ],
)
def test_who_looks_at_one_gets_the_number(item, look, value):
    found = look(item)
    assert (type(found), found) == (type(value), value)
    assert {"item", "loop"} <= {*SEEN}


@pytest.mark.parametrize(
    ("base", "most"),
    [
        (None, MOST),
        (FollowedInt(Argument("n", 0), 4, None), LARGEST + MOST),
    ],
)
def test_a_number_of_an_iteration_is_as_large_as_what_it_counts_on_from(
    item, base, most
):
    number = LoopIndex(item.at.numbers, 0, 4, 1, base)
    for found in number + item, item + number:
        assert found.bounds == Within(-most - 2, most + 7)
    assert SEEN == []


def test_of_what_a_float_may_not_hold_python_has_the_product(item):
    base = FollowedInt(Argument("n", 0), 4, Reads())
    assert LoopIndex(item.at.numbers, 0, 4, 1, base) * item == 12
    assert {"item", "loop", "n"} <= {*SEEN}


def test_a_product_that_may_be_zero_has_no_sign():
    numbers = [0, -1, 2, 0, 3, -4] * 3

    def f(x):
        s = x[0]
        for n in numbers:
            s = s * 0.5 + np.arctan2(n * -3 * 1.0, -1.0) * x[1]
        return s

    traced, x = srcgrad.trace(f), np.array([0.5, 2.0])
    for _ in range(3):
        assert float(traced(x)) == f(x)
    assert traced.stats.compiled == 2
