"""Writes in traced functions: what is the function's own, and what is not."""

import numpy as np
import pytest

import srcgrad
from tests.tracing.comparing import X, outcome


def fills_its_own(x):
    table, items = {}, [0.0, 0.0]
    table["a"], items[1] = x[0], x[1]
    table["a"] += 1.0
    items[0] -= table["a"]
    rows = np.zeros((2, 3))
    rows[0], rows[1, 1:] = x, x[0]
    rows[0] *= items[1]
    return rows.sum() + table["a"] * items[0]


def gives_back_what_it_changes(x):
    x[0] = 7.0
    return x[1:]


def changes_a_list_given(x, items):
    items.append(x[0])
    items[0] += 1.0
    return np.sum(x) * items[0]


def test_what_it_has_made_itself_it_may_change():
    traced = srcgrad.trace(fills_its_own)
    for k in range(1, 5):
        assert outcome(traced, X * k) == outcome(fills_its_own, X * k)
    assert traced.stats.compiled == 3


GIVEN = {
    gives_back_what_it_changes: lambda: (X.copy(),),
    changes_a_list_given: lambda: (X.copy(), [1.0]),
}


@pytest.mark.parametrize("function", GIVEN)
def test_what_it_is_given_is_changed_on_the_tape(function):
    args, traced = GIVEN[function], srcgrad.trace(function)
    for _ in range(3):
        assert outcome(traced, *args()) == outcome(function, *args())
    assert traced.stats.compiled == 0
