"""What two arms have left may be one array: who could tell has one arm of the `if`."""

import numpy as np
import pytest

import srcgrad


def writes_into_it(x, n):
    y = x * 2.0
    z = y
    if np.sum(x) > n:
        z = y * n
    z += 1.0
    return y * z


def writes_into_what_was_there(x, n):
    y = x * 2.0
    z = y
    if np.sum(x) > n:
        z = y * n
    y[0] = 4.0
    return y * z


def writes_by_a_view(x, n):
    y = x * 2.0
    tail, z = y[1:], y
    if np.sum(x) > n:
        z = y * n
    z[2] = n
    return np.sum(tail) * z


def writes_in_an_arm(x, n):
    y = x * 2.0
    z = y
    if np.sum(x) > n:
        z = y * n
    if x[0] > 0.0:
        z[0] = 3.0
        s = y[0]
    else:
        s = y[1] * n
    return z * s


def _changes(array):
    array[0] = 7.0


def has_another_write(x, n):
    y = x * 2.0
    z = y
    if np.sum(x) > n:
        z = y * n
    _changes(z)
    return y * z


def swaps(x, n):
    a, b = x * 2.0, x * n
    for _ in range(3):
        if np.sum(a) > np.sum(b):
            a, b = b, a
        a += 0.2 * b
    return a * b * b


def has_two_names(x, n):
    if np.sum(x) > n:
        a = x * 2.0
        b = a
    else:
        a, b = x * 3.0, x * 4.0
    a += 1.0
    return a * b


def writes_into_a_list(x, n):
    z = np.ones(3)
    kept = [z]
    if np.sum(x) > n:
        z = x * n
    kept[0][1] = 4.0
    return z * kept[0]


def is_given_back_twice(x, n):
    y = x * 2.0
    z = y
    if np.sum(x) > n:
        z = y * n
    return y, z


def gives_back_what_it_gets(x, n):
    if np.sum(x) > n:
        x = x * n
    return x


def shared(arrays):
    return [np.shares_memory(a, b) for a in arrays for b in arrays]


@pytest.mark.parametrize(
    "function",
    [
        *(writes_into_it, writes_into_what_was_there, writes_by_a_view),
        *(writes_in_an_arm, has_another_write, swaps, has_two_names),
        *(writes_into_a_list, is_given_back_twice, gives_back_what_it_gets),
    ],
)
def test_who_can_tell_gets_what_python_gives(function):
    traced = srcgrad.trace(function)
    gradient = srcgrad.grad(lambda x, n: np.sum(np.array(traced(x, n))))
    on_tape = srcgrad.grad(lambda x, n: np.sum(np.array(traced(x, n))))
    rng = np.random.default_rng(0)
    for _ in range(12):
        x, n = rng.normal(size=3), rng.normal()
        found, expected = traced(x, n), function(x, n)
        np.testing.assert_allclose(found, expected, rtol=1e-12)
        given = [
            (x, *(each if type(each) is tuple else (each,)))
            for each in (found, expected)
        ]
        assert shared(given[0]) == shared(given[1])
        slope = gradient(x, n)
        with srcgrad.set_stance("tape"):
            np.testing.assert_allclose(slope, on_tape(x, n), rtol=1e-10)
    assert traced.stats.compiled >= 4


def test_what_a_loop_may_keep_to_its_end_is_not_written_into():
    def kept(a, n):
        a = a * 1.0
        for _ in range(8):
            if np.sum(a) < n:
                s = a[0] * 2.0
            else:
                a = a * 0.5 + 1.0
                s = n
            n = n + s
        a = 1.0 * a
        a[0] = 5.0 * n
        return np.sum(a) * n

    ours, rng = srcgrad.value_and_grad(kept, argnums=(0, 1)), np.random.default_rng(0)
    for _ in range(6):
        a, n = rng.normal(size=3), 3.0 + rng.normal()
        before = a.copy()
        value, _ = ours(a, n)
        np.testing.assert_equal(a, before)
        np.testing.assert_allclose(value, kept(a, n))
