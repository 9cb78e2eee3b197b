"""`done = True` in an arm is asked for in the graph; who looks at it gets Python's."""

import numpy as np
import pytest

import srcgrad
from tests.tracing.comparing import check_same_leaves


def spikes(x, n):
    spiking, seen, total = False, False, 0.0
    for v in x:
        if spiking:
            total += v * v
            if v < n:
                spiking = False
        elif v > n:
            spiking = True
            seen = True
        if not spiking and seen:
            total += 0.1 * v
    return total


def is_in_a_list(x, n):
    alive, total = [True] * 3, 0.0
    for t in range(2):
        for i in range(3):
            if alive[i]:
                total += x[i + 3 * t]
                if x[i] > n:
                    alive[i] = False
    return total


def is_given_back(x, n):
    found = False
    if x[0] > n:
        found = True
    return found, not found, x[1] if found else x[2]


def is_looked_at(x, n):
    f = False
    if x[0] > n:
        f = True
    numbers = f + 1, f * x[1], x[1] * f, -f, int(f), float(f), f < 2, f & True, f ^ True
    told = str(f), f"{f}", type(f).__name__, isinstance(f, bool), f is True, [f, 1][f]
    return {"numbers": numbers, "told": told, "of": [x[f], np.where(f, x[1], x[2])]}


def is_a_part_of_others(x, n):
    f, g = True, x[1] > n
    if x[0] > n:
        f = False
    h, k = f and g, f or x[2] > n
    first = (x[0] if h else x[1]) * (2.0 if k else 3.0)
    return first, (x[0] if f and g else x[1]), (x[0] if not (f or g) else x[1])


def ends_a_loop(x, n):
    done, k, total = False, 0, 0.0
    while not done:
        total += x[k] ** 2
        k += 1
        if total > n or k == 5:
            done = True
    return total


ONE_TRACE = spikes, is_in_a_list
OTHERS = is_given_back, is_looked_at, is_a_part_of_others, ends_a_loop


@pytest.mark.parametrize("function", [*ONE_TRACE, *OTHERS])
def test_truths_of_two_arms(function):
    traced, rng = srcgrad.trace(function), np.random.default_rng(0)
    for _ in range(16):
        x, n = rng.normal(size=6), rng.normal()
        check_same_leaves(traced(x, n), function(x, n))
    assert traced.stats.compiled
    if function in ONE_TRACE:
        assert traced.stats.traces == 1
