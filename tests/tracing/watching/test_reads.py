"""Reads and changes of what is outside: such functions are as on the tape."""

import copy
import functools
import math
import operator
from collections import deque

import numpy as np
import pytest

import srcgrad
from tests.tracing.comparing import (
    X,
    on_tape,
    outcome,
    plain,
    same_through,
)
from tests.tracing.objects import Box, Model
from tests.tracing.world import doubled

# ----- Changes of arguments -----


def appends_to_argument(items, x):
    items.append(x * 2.0)
    return x


def assigns_in_argument(items, x):
    items[0] = x * 2.0
    return x


def extends_argument(items, x):
    items += [x]
    return x


def operator_changes_argument(items, x):
    operator.setitem(items, 0, x * 2.0)
    operator.iadd(items, [x])
    return x


def dunder_changes_argument(items, x):
    items.__setitem__(0, x * 2.0)
    return x


def deletes_from_argument(items, x):
    del items[0]
    return x


def loops_into_argument(items, x):
    for items[0] in (1.0, 2.0):
        pass
    return [x for items[0] in (3.0, 4.0)]


def changes_nested_argument(items, x):
    inner = items[0]
    inner.append(x)
    return x


def pops_from_argument(items, x):
    return items.pop() * x


EFFECTS_ON_LISTS = {
    appends_to_argument: [1.0],
    assigns_in_argument: [1.0],
    extends_argument: [1.0],
    operator_changes_argument: [1.0],
    dunder_changes_argument: [1.0],
    deletes_from_argument: [1.0, 2.0],
    loops_into_argument: [1.0, 2.0],
    changes_nested_argument: [[1.0]],
    pops_from_argument: [1.0, 2.0],
}


@pytest.mark.parametrize("function", EFFECTS_ON_LISTS, ids=lambda f: f.__name__)
def test_lists_given_are_changed_once(function):
    items = EFFECTS_ON_LISTS[function]
    make = lambda: (copy.deepcopy(items), X.copy())  # noqa: E731
    same_through(function, make, make, make, refused=":")


@pytest.mark.parametrize("container", [deque([1.0]), {1.0}], ids=["deque", "set"])
def test_other_containers_given_are_changed(container):
    def function(items, x):
        (items.append if hasattr(items, "append") else items.add)(5.0)
        return x * 2.0

    for f in (function, srcgrad.trace(function)):
        given = copy.copy(container)
        for _ in range(3):
            f(given, X)
        assert len(given) == (4 if isinstance(container, deque) else 2)


# ----- Changes outside -----


log = []


def appends_outside(x):
    log.append(x[0])
    return x * 2.0


def test_effects_outside_happen_each_time():
    traced = srcgrad.trace(appends_outside)
    log.clear()
    for _ in range(3):
        traced(X)
    assert log == [1.0] * 3
    assert "test_reads.py" in traced.explain()
    assert "log.append(x[0])" in traced.source()
    assert traced.stats.compiled == 2


# ----- Results stored in ndarrays -----


def stores_elements(x):
    h = np.zeros(2)
    h[0] = x[0]
    h[1] += x[1]
    return np.sum(h * x)


def stores_in_list(x):
    h = [0.0, 0.0]
    h[0] = x[0]
    return h[0] * h[0] + h[1]


@pytest.mark.parametrize("function", [stores_elements, stores_in_list])
def test_no_gradient_is_lost_in_a_buffer(function):
    """No gradient is lost on the way through an ndarray: an error, or all of it."""
    ours = srcgrad.grad(srcgrad.trace(function))
    theirs = on_tape(srcgrad.grad(function))
    for _ in range(3):
        assert outcome(ours, X[:2].copy()) == outcome(theirs, X[:2].copy())


# ----- Functions handed over -----


def applies(f, x):
    return f(x) + 1.0


def test_functions_given_are_followed():
    twice = functools.partial(operator.mul, 2.0)
    double = lambda x: x * 2.0  # noqa: E731
    box = Box(2.0)
    traced = srcgrad.trace(applies)
    for f in (double, doubled, np.sin, twice, box, math.fsum, Model(X).method, abs):
        for _ in range(3):
            assert plain(traced(f, X)) == plain(applies(f, X))
    assert traced.stats.compiled >= 4  # double, doubled, sin, abs


def test_a_partial_handed_to_map_is_called_each_time():
    k = [2.0]
    f = functools.partial(lambda a, b: a * b * k[0], 1.0)
    traced = srcgrad.trace(lambda f, x: list(map(f, [x])))
    for _ in range(3):
        assert plain(traced(f, X)) == plain([X * k[0]])
        k[0] += 1.0
