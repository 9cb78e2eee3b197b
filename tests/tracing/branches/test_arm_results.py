"""What comes of two arms is one thing, whichever ran; or `explain()` says why not."""

import numpy as np
import pytest

import srcgrad
from tests.tracing.comparing import check_same_leaves


def keeps(x, n):
    y = x * 2.0
    if np.sum(x) > n:
        y = y * n
    return y


def makes_a_constant(x, n):
    y = np.zeros(3)
    if np.sum(x) > n:
        y = y + x
    return y * n


def is_flat_in_one_arm(x, n):
    y = np.floor(x)
    if np.sum(x) > n:
        y = x * n
    return y * 1.0


def gives_another_shape(x, n):
    y = x * n
    if np.sum(x) > n:
        y = np.append(y, 2.0)
    return np.sum(y)


def gives_a_part(x, n):
    y = x * n
    if np.sum(x) > n:
        y = np.flip(y)
    return np.sum(y * x)


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (keeps, ""),
        (makes_a_constant, ""),
        (is_flat_in_one_arm, ""),
        (gives_another_shape, "`y` is float64[3] or float64[4], by arm"),
        (gives_a_part, "`y` is a part of another array, in one arm"),
    ],
)
def test_arrays_of_two_arms(function, why):
    traced = srcgrad.trace(function)
    gradient, on_tape = (
        srcgrad.grad(lambda x, n: np.sum(function(x, n)), argnums=(0, 1))
        for _ in range(2)
    )
    rng = np.random.default_rng(0)
    for _ in range(8):
        x, n = rng.normal(size=3), rng.normal()
        np.testing.assert_allclose(traced(x, n), function(x, n), rtol=1e-12)
        slopes = gradient(x, n)
        with srcgrad.set_stance("tape"):
            for mine, tapes in zip(slopes, on_tape(x, n), strict=True):
                np.testing.assert_allclose(mine, tapes, rtol=1e-10)
    assert why in traced.explain()
    assert (traced.stats.traces == 1) == (not why)


def counts(x, n):
    k = 0
    for i in range(6):
        if x[i] > n:
            k += 1
    return k, np.sum(x) * k, x[k - 1] / (1 + k), -k, 7 - k


def is_in_states(x, n):
    state, since = 0, 0
    for i in range(6):
        if state == 0:
            if x[i] > n:
                state, since = 1, 0
        elif state == 1:
            since += 1
            if since >= 2 or x[i] < -n:
                state = 2
        else:
            state = 0 if x[i] > 0 else 2
    return state, x[state] * since


def grows(x, n):
    k = 1
    for i in range(6):
        if x[i] > n:
            k *= 1000
    return k, x


def is_looked_at(x, n):
    k = 4 if x[0] > n else 0
    found = [k, str(k), k // 3, k & 1, bool(k), isinstance(k, int), k + np.arange(2)]
    return {"found": found, "of": x[:k], "kind": type(k).__name__}


def is_an_object(x, n):
    k = 1 if x[0] > n else 0
    zero = 0
    return x[1] if k is zero else x[2]


def is_a_float_too(x, n):
    k = 0
    if x[0] > n:
        k = 5
    if x[1] > n:
        k = 0.5 * x[2]
    return k * 2.0 + x[3]


@pytest.mark.parametrize(
    ("function", "is_one"),
    [
        *((counts, True), (is_in_states, True), (grows, False)),
        *((is_looked_at, False), (is_an_object, False), (is_a_float_too, True)),
    ],
)
def test_integers_of_two_arms(function, is_one):
    traced, rng = srcgrad.trace(function), np.random.default_rng(0)
    for _ in range(20):
        x, n = rng.normal(size=6), rng.normal()
        check_same_leaves(traced(x, n), function(x, n))
    assert (traced.stats.traces == 1) == is_one
