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


def begins_with_constants_and_writes(x, n):
    y = np.array([2.0, 0.0, 1.0])
    z = y + x
    if np.sum(x) > n:
        y = z
    y[0] += n
    return y * z


def begins_with_constants_of_two_names(x, n):
    first = y = np.array([2.0, 0.0, 1.0])
    tail = y[1:]
    if np.sum(x) > n:
        y = x * n
    y[1] = 7.0
    return y * first * np.sum(tail)


def begins_with_a_constant_given_back(x, n):
    first = y = np.array([2.0, 0.0, 1.0])
    if np.sum(x) > n:
        y = x * n
    return y, first


def begins_with_constants_of_a_function(x, n):
    def change(v):
        v[1] = 4.0

    first = y = np.array([2.0, 0.0, 1.0])
    for k in range(4):
        if x[0] + k > n:
            y = y + x
        change(y)
    return y * first


def asks_which_array_it_is(x, n):
    first = y = np.array([2.0, 0.0, 1.0])
    if np.sum(x) > n:
        y = x * n
    return y if y is first else y * 2.0


def shared(arrays):
    return [np.shares_memory(a, b) for a in arrays for b in arrays]


@pytest.mark.parametrize(
    "function",
    [
        *(writes_into_it, writes_into_what_was_there, writes_by_a_view),
        *(writes_in_an_arm, has_another_write, swaps, has_two_names),
        *(writes_into_a_list, is_given_back_twice, gives_back_what_it_gets),
        *(begins_with_constants_and_writes, begins_with_constants_of_two_names),
        *(begins_with_constants_of_a_function, begins_with_a_constant_given_back),
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


def test_which_array_an_if_has_left_is_known_to_the_tape():
    traced = srcgrad.trace(asks_which_array_it_is)
    for n in (-1.0, 1.0, -1.0, 1.0):
        x = np.array([0.1, 0.2, 0.3])
        expected = asks_which_array_it_is(x, n)
        np.testing.assert_array_equal(traced(x, n), expected)


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


def test_steps_are_taken_or_tried_again_from_constants():
    def stepped(p):
        t, y, h = 0.0, np.array([2.0, 0.0]), 0.8
        while t < 1.5:
            slope = np.array([y[1], -y[0]]) * p
            tried = y + h * slope
            if np.max(np.abs(h * slope)) <= 0.3:
                t, y = t + h, tried
                h = 1.5 * h
            else:
                h = h * 0.5
        return y @ y

    ours, rng = srcgrad.trace(stepped), np.random.default_rng(0)
    slope = srcgrad.value_and_grad(ours)
    for _ in range(8):
        p = rng.uniform(0.3, 1.5, 2)
        value, gradient = slope(p)
        with srcgrad.set_stance("tape"):
            expected = srcgrad.grad(stepped)(p)
        np.testing.assert_allclose(value, stepped(p), rtol=1e-12)
        np.testing.assert_allclose(gradient, expected, rtol=1e-9)
    assert (ours.stats.traces, ours.stats.misses) == (1, 0)
